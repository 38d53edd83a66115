package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"atelier/agent/plan"
)

// Gold is the judgement of one request: what a correct plan must contain.
type Gold struct {
	ID string `json:"id"`
	// Goals are what the user asks for, one each.
	Goals []Goal `json:"goals"`
	// Allowed are further tools that may be in the plan.
	Allowed []string `json:"allowed"`
	// Attached are resources that come with the request but are not named in it.
	Attached attached `json:"attached"`
	// Deprecated excludes the request from the main figures; it is reported separately.
	Deprecated bool `json:"deprecated"`
	// Expect is the correct kind of answer: plan, question, refusal or reply; empty means plan.
	Expect string `json:"expect"`
	// Foreign marks a request that is not in English. A planner that reads only English may refuse
	// it; a plan that meets the goals is correct too.
	Foreign bool   `json:"foreign"`
	Note    string `json:"note"`
}

// Goal is one thing that the user asks for.
type Goal struct {
	Want string `json:"want"`
	Source
	// AltSource are other plausible sources of the goal.
	AltSource []Source `json:"alt_source"`
	// Given are the types of resources whose file extension does not show the type.
	Given map[string]plan.Type `json:"given"`
	// Text holds the relevant words: an object, a question, a prompt.
	Text string `json:"text"`
	// Returns are the types that the result may have.
	Returns []plan.Type `json:"returns"`
	// Accept are sets of tools; each solves the goal if wired by its types.
	Accept [][]string `json:"accept"`
	// Lenient are the sets in Accept that a strict judge might reject.
	Lenient [][]string `json:"lenient"`
}

// Source is what a goal's result must be made from.
type Source struct {
	// Uses are names of given resources.
	Uses []string `json:"uses"`
	// After are the indexes of goals whose results must be used.
	After []int `json:"after"`
}

// readings lists the alternative sources of the goal; all of one must be used.
func (g Goal) readings() []Source { return append([]Source{g.Source}, g.AltSource...) }

// sets lists the accepted sets of tools.
func (g Goal) sets(strict bool) [][]string {
	if !strict {
		return g.Accept
	}
	return slices.DeleteFunc(slices.Clone(g.Accept), func(set []string) bool { return hasSet(g.Lenient, set) })
}

// hasSet reports whether sets contains a set with the same tools.
func hasSet(sets [][]string, set []string) bool {
	want := slices.Compact(slices.Sorted(slices.Values(set)))
	return slices.ContainsFunc(sets, func(s []string) bool {
		return slices.Equal(slices.Compact(slices.Sorted(slices.Values(s))), want)
	})
}

// expect returns Expect or its default.
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
		return fmt.Errorf("has an unknown expectation %q: expected plan, question, refusal or reply", g.Expect)
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
		return errors.New("accepts no tools, or an empty set")
	}
	for _, set := range g.Lenient {
		if !hasSet(g.Accept, set) {
			return fmt.Errorf("the lenient set %v is not in accept", set)
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
			if after < 0 || after >= at { // earlier ones only, so there are no cycles
				return fmt.Errorf("refers to goal %d, which is not an earlier one", after+1)
			}
		}
	}
	return nil
}

// attached lists resources. In JSON it is a name, a list of names, an object from names to types,
// an object with a name and a type, or a list of such objects.
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
		return errors.New("attached must list names, or map names to types")
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
