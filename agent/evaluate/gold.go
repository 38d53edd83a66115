package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"atelier/agent/plan"
)

// Gold is the judgement of one request: what a right plan must contain.
type Gold struct {
	ID string `json:"id"`
	// Goals are what the user asks for, one each.
	Goals []Goal `json:"goals"`
	// Allowed are further tools that do no harm.
	Allowed []string `json:"allowed"`
	// Attached are resources that the request does not name and that are handed over.
	Attached attached `json:"attached"`
	// Deprecated keeps the request out of the headline; it is reported apart.
	Deprecated bool `json:"deprecated"`
	// Expect is what is right to do with the request: plan, question, refusal or reply;
	// empty means plan.
	Expect string `json:"expect"`
	// Foreign marks a request in another language than English: to turn it down is right for
	// who reads English only, and a plan that meets the goals is as right.
	Foreign bool   `json:"foreign"`
	Note    string `json:"note"`
}

// Goal is one thing that the user asks for.
type Goal struct {
	Want string `json:"want"`
	Source
	// AltSource are other fair readings of which resource is meant.
	AltSource []Source `json:"alt_source"`
	// Given are the types of resources whose ending does not tell them.
	Given map[string]plan.Type `json:"given"`
	// Text holds the words that matter: an object, a question, a prompt.
	Text string `json:"text"`
	// Returns are the types that the result may have.
	Returns []plan.Type `json:"returns"`
	// Accept are sets of tools, each of which solves the goal when wired by its types.
	Accept [][]string `json:"accept"`
	// Lenient are those of Accept that a strict judge could refuse.
	Lenient [][]string `json:"lenient"`
}

// Source is what must feed the result of a goal.
type Source struct {
	// Uses are the given resources by name.
	Uses []string `json:"uses"`
	// After are the goals, by index, whose results must be taken in.
	After []int `json:"after"`
}

// readings lists what may feed the goal: all of one of them.
func (g Goal) readings() []Source { return append([]Source{g.Source}, g.AltSource...) }

// sets lists the accepted sets of tools.
func (g Goal) sets(strict bool) [][]string {
	if !strict {
		return g.Accept
	}
	return slices.DeleteFunc(slices.Clone(g.Accept), func(set []string) bool { return hasSet(g.Lenient, set) })
}

// hasSet reports whether one of the sets has the same tools.
func hasSet(sets [][]string, set []string) bool {
	want := slices.Compact(slices.Sorted(slices.Values(set)))
	return slices.ContainsFunc(sets, func(s []string) bool {
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(s))), want)
	})
}

// expect is Expect with its default.
func (g Gold) expect() string {
	if g.Expect == "" {
		return expectPlan
	}
	return g.Expect
}

func readGold(in Input) ([]Gold, error) {
	items, err := in.lines()
	if err != nil {
		return nil, err
	}
	return decode(items, func(g Gold) string { return g.ID }, Gold.check)
}

func (g Gold) check() error {
	switch g.expect() {
	case expectPlan:
		if len(g.Goals) == 0 {
			return errors.New("expects a plan but has no goals")
		}
	case expectQuestion, expectRefusal, expectReply:
		if len(g.Goals) > 0 && !g.Foreign {
			return fmt.Errorf("expects a %s but has goals", g.Expect)
		}
	default:
		return fmt.Errorf("expects %q, which is not plan, question, refusal or reply", g.Expect)
	}
	for i, goal := range g.Goals {
		if err := goal.check(i); err != nil {
			return fmt.Errorf("goal %d: %w", i+1, err)
		}
	}
	return nil
}

func (g Goal) check(at int) error {
	if len(g.Accept) == 0 || slices.ContainsFunc(g.Accept, func(s []string) bool { return len(s) == 0 }) {
		return errors.New("accepts no tools, or an empty set of them")
	}
	for _, set := range g.Lenient {
		if !hasSet(g.Accept, set) {
			return fmt.Errorf("the lenient set %v is not an accepted one", set)
		}
	}
	if len(g.Returns) == 0 {
		return errors.New("returns nothing")
	}
	for _, t := range g.Returns {
		if _, err := plan.ParseType(string(t)); err != nil {
			return err
		}
	}
	for name, t := range g.Given {
		if _, err := plan.ParseType(string(t)); err != nil {
			return fmt.Errorf("given %s: %w", name, err)
		}
	}
	for _, r := range g.readings() {
		for _, after := range r.After {
			if after < 0 || after >= at { // earlier ones only, so no circle can arise
				return fmt.Errorf("comes after goal %d, which is not before it", after+1)
			}
		}
	}
	return nil
}

// attached lists resources. It is read from a name, a list of names, an object from
// names to types, an object with a name and a type, or a list of those.
type attached []file

func (a *attached) UnmarshalJSON(b []byte) error {
	var name string
	if json.Unmarshal(b, &name) == nil {
		*a = nil
		if name != "" {
			*a = attached{{Name: name}}
		}
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil {
		*a = nil
		for _, one := range list {
			var inner attached
			if err := json.Unmarshal(one, &inner); err != nil {
				return fmt.Errorf("attached: %w", err)
			}
			*a = append(*a, inner...)
		}
		return nil
	}
	var object map[string]string
	if err := json.Unmarshal(b, &object); err != nil {
		return errors.New("attached is neither names nor names with types")
	}
	if name, ok := object["name"]; ok {
		*a = attached{{Name: name, Type: plan.Type(object["type"])}}
		return nil
	}
	*a = nil
	for _, name := range slices.Sorted(maps.Keys(object)) {
		*a = append(*a, file{Name: name, Type: plan.Type(object[name])})
	}
	return nil
}
