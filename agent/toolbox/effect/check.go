package effect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// Arg is an argument or a setting of a tool, as far as effects refer to it.
type Arg struct {
	Name string
	Type plan.Type
	// Setting is the type of a parameter, "" for a resource.
	Setting param.Type
}

// Check tells each fault of the effects of a tool that returns that type and takes these
// arguments.
func (all Effects) Check(returns plan.Type, args []Arg) []error {
	var faults []error
	for i, e := range all {
		if e.Name == None {
			if len(all) > 1 {
				faults = append(faults, errors.New("the effects say none, and others as well"))
			}
			if reason, ok := e.Rule[lone]; !ok || reason == "" || len(e.Rule) > 1 {
				faults = append(faults, errors.New("the effects say none, and not why"))
			}
			continue
		}
		if slices.ContainsFunc(all[:i], func(o Effect) bool { return o.String() == e.String() }) {
			faults = append(faults, fmt.Errorf("the effect %q stands twice", e))
		}
		for _, err := range e.check(returns, args) {
			faults = append(faults, fmt.Errorf("the effect %q: %w", e, err))
		}
	}
	return faults
}

func (e Effect) check(returns plan.Type, args []Arg) []error {
	s, ok := specs[e.Name]
	if !ok {
		return []error{fmt.Errorf("there is no effect called %s; the effects are %q", e.Name, slices.Sorted(maps.Keys(specs)))}
	}
	var faults []error
	if !s.of(returns) {
		faults = append(faults, fmt.Errorf("it does not apply to what the tool returns, which is %s", returns))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Rule)) {
		k, ok := s.keys[name]
		if !ok {
			faults = append(faults, fmt.Errorf("%s takes no %q; it takes %q", e.Name, name, slices.Sorted(maps.Keys(s.keys))))
			continue
		}
		err := k.check(e.Rule[name], args)
		switch {
		case err != nil && name == lone:
			faults = append(faults, fmt.Errorf("%w%s", err, s.orKeys()))
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	if !slices.ContainsFunc(s.needs, func(need string) bool { _, ok := e.Rule[need]; return ok }) {
		faults = append(faults, fmt.Errorf("it needs one of %q", s.needs))
	}
	return faults
}

// orKeys are the keys with which a rule may be written that is no single word: "; or write {like: ARG}".
func (s spec) orKeys() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.keys)) {
		if name != lone {
			all = append(all, "{"+name+": "+s.keys[name].stands()+"}")
		}
	}
	if all == nil {
		return ""
	}
	return "; or write " + strings.Join(all, " or ")
}

// key is what one key of a rule takes: an argument, a setting, or a word.
type key struct {
	// types are those of the argument that it names; measure is what is measured of that.
	types   func(plan.Type) bool
	measure Measure
	// settings are the types of the parameter that it names; nil if it names none.
	settings []param.Type
	// word tells whether a word is understood.
	word func(string) error
}

// stands is what stands under the key.
func (k key) stands() string {
	switch {
	case k.types != nil:
		return "ARG"
	case k.settings != nil:
		return "SETTING"
	}
	return "…"
}

func (k key) check(value string, args []Arg) error {
	if k.word != nil {
		if err := k.word(value); err == nil || k.settings == nil {
			return err
		}
	}
	at := slices.IndexFunc(args, func(a Arg) bool { return a.Name == value })
	if at < 0 {
		return fmt.Errorf("the tool has no argument called %q", value)
	}
	a := args[at]
	switch {
	case k.settings != nil && k.types != nil && a.Setting == "" && k.types(a.Type):
		return nil
	case k.settings != nil && k.types != nil && a.Setting == "":
		return fmt.Errorf("the argument %s is of the type %s, of which that cannot be measured", value, a.Type)
	case k.settings != nil && a.Setting == "":
		return fmt.Errorf("the argument %s is no parameter", value)
	case k.settings != nil && !slices.Contains(k.settings, a.Setting):
		return fmt.Errorf("the parameter %s is not of the type %q", value, k.settings)
	case k.settings == nil && !k.types(a.Type):
		return fmt.Errorf("the argument %s is of the type %s, of which that cannot be measured", value, a.Type)
	}
	return nil
}

// resource is a key that names an argument of one of the types.
func resource(m Measure, types func(plan.Type) bool) key { return key{types: types, measure: m} }

// resourceOr is a key that names an argument of one of the types, or a parameter.
func resourceOr(m Measure, types func(plan.Type) bool, settings ...param.Type) key {
	return key{types: types, measure: m, settings: settings}
}

// parameter is a key that names a parameter of one of the types.
func parameter(types ...param.Type) key { return key{settings: types} }

// oneOf is a key whose word is one of these.
func oneOf(words ...string) key {
	return key{word: func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%q is not %s", s, strings.Join(words, " or "))
		}
		return nil
	}}
}

func anything() key {
	return key{word: func(s string) error {
		if s == "" {
			return errors.New("it is empty")
		}
		return nil
	}}
}

func aTime() key {
	return key{word: func(s string) error {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return fmt.Errorf("%q is no time, such as 30s or 500ms", s)
		}
		return nil
	}}
}

func aNumber(least float64) key {
	return key{word: func(s string) error {
		if v, err := strconv.ParseFloat(s, 64); err != nil || !(v >= least) || v > 1e9 {
			return fmt.Errorf("%q is no number of at least %g", s, least)
		}
		return nil
	}}
}

// orNumber is a key that names a parameter, or holds a number itself.
func orNumber(least float64, named key) key {
	return key{settings: named.settings, word: aNumber(least).word}
}

func aSize() key {
	return key{word: func(s string) error {
		if z, ok := quantity.Size(s); !ok || z.Width == 0 || z.Height == 0 {
			return fmt.Errorf("%q is no size, such as 800x600", s)
		}
		return nil
	}}
}

// The types of which something can be measured.
func picture(t plan.Type) bool { return t.Fits(plan.Image) }
func film(t plan.Type) bool    { return t == plan.Video }
func heard(t plan.Type) bool   { return t == plan.Audio || t == plan.Video }
func seen(t plan.Type) bool    { return picture(t) || film(t) }
func lasting(t plan.Type) bool { return heard(t) || t == plan.Image }
func listed(t plan.Type) bool  { return t == plan.BBox || t == plan.Points || t == plan.Category }
func written(t plan.Type) bool {
	return t.Media() && t != plan.HTML && t != plan.Document && t != plan.Archive && t != plan.AnyFile
}
func worded(t plan.Type) bool   { return !t.Media() && !listed(t) }
func readable(t plan.Type) bool { return worded(t) || t == plan.HTML }
func anyType(plan.Type) bool    { return true }
func covering(t plan.Type) bool { return t == plan.Mask }
