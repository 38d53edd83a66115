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

// Arg is an argument or a setting of a tool, as used by effects.
type Arg struct {
	Name string
	Type plan.Type
	// Setting is the type of a parameter, "" for a resource; Values are the values of a choice or a format.
	Setting param.Type
	Values  []string
}

// Check returns each fault in the effects of a tool with this return type and these arguments.
func (all Effects) Check(returns plan.Type, args []Arg) []error {
	var faults []error
	for i, e := range all {
		if e.Name == None {
			if len(all) > 1 {
				faults = append(faults, errors.New("the effect none must stand alone"))
			}
			if reason, ok := e.Rule[lone]; !ok || reason == "" || len(e.Rule) > 1 {
				faults = append(faults, errors.New("the effect none requires a reason"))
			}
			continue
		}
		if slices.ContainsFunc(all[:i], func(o Effect) bool { return o.String() == e.String() }) {
			faults = append(faults, fmt.Errorf("the effect %q is listed twice", e))
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
		return []error{fmt.Errorf("unknown effect %s; the effects are %s", e.Name, strings.Join(slices.Sorted(maps.Keys(specs)), ", "))}
	}
	if word, ok := e.word(); ok && s.keys[lone].word == nil && s.keys[lone].types == nil {
		need := s.needs[0]
		if !slices.ContainsFunc(args, func(a Arg) bool { return a.Name == word }) {
			word = s.keys[need].placeholder()
		}
		return []error{fmt.Errorf("write %s: {%s: %s}", e.Name, need, word)}
	}
	var faults []error
	if !s.of(returns) {
		faults = append(faults, fmt.Errorf("it does not apply to the tool's result, which is %s", returns))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Rule)) {
		k, ok := s.keys[name]
		if !ok {
			faults = append(faults, fmt.Errorf("unknown field %[2]s of %[1]s; the fields are %[3]s", e.Name, name, strings.Join(s.fields(), ", ")))
			continue
		}
		err := k.check(name, e.Rule[name], returns, args)
		switch {
		case err != nil && name == lone:
			faults = append(faults, fmt.Errorf("%w%s", err, s.orKeys()))
		case err != nil:
			faults = append(faults, err)
		}
	}
	if both := slices.DeleteFunc(s.fields(), func(name string) bool { return e.Rule[name] == "" || !slices.Contains(s.either, name) }); len(both) > 1 {
		faults = append(faults, fmt.Errorf("only one of %s can be measured", strings.Join(both, " and ")))
	}
	if !slices.ContainsFunc(s.needs, func(need string) bool { _, ok := e.Rule[need]; return ok }) {
		faults = append(faults, fmt.Errorf("it needs %s", strings.Join(s.needs, " or ")))
	}
	return faults
}

// fields returns the keys that a rule may have.
func (s spec) fields() []string { return slices.Sorted(maps.Keys(s.keys)) }

// orKeys lists the alternatives to a single word, for errors: "; or write {like: ARG}".
func (s spec) orKeys() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.keys)) {
		if name != lone {
			all = append(all, "{"+name+": "+s.keys[name].placeholder()+"}")
		}
	}
	if all == nil {
		return ""
	}
	return "; or write " + strings.Join(all, " or ")
}

// key says what a key of a rule accepts: an argument, a setting, or a word.
type key struct {
	// types are the valid types of the argument; measure is what is measured of it.
	types   func(plan.Type) bool
	measure Measure
	// settings are the valid types of the parameter; nil if it cannot be a parameter. values checks
	// the values of a choice.
	settings []param.Type
	values   func(returns plan.Type, a Arg) error
	// word checks a word, for a tool with that return type.
	word func(returns plan.Type, s string) error
}

// placeholder returns a placeholder for the key's value.
func (k key) placeholder() string {
	switch {
	case k.types != nil:
		return "ARG"
	case k.settings != nil:
		return "SETTING"
	}
	return "…"
}

func (k key) check(name, value string, returns plan.Type, args []Arg) error {
	var unread error
	if k.word != nil {
		unread = k.word(returns, value)
		if unread == nil || k.settings == nil {
			return withKey(name, unread)
		}
	}
	at := slices.IndexFunc(args, func(a Arg) bool { return a.Name == value })
	switch {
	case at < 0 && unread != nil:
		return withKey(name, fmt.Errorf("%w, and is not a setting", unread))
	case at < 0:
		return withKey(name, fmt.Errorf("unknown %s %s", k.noun(), value))
	}
	a := args[at]
	switch {
	case a.Setting == "" && k.types != nil && k.types(a.Type):
		return nil
	case a.Setting == "" && k.types != nil:
		return withKey(name, fmt.Errorf("%s is %s, which cannot be measured this way", value, aOrAn(a.Type)))
	case a.Setting == "":
		return fmt.Errorf("%s is not a setting; %s needs %s", value, name, aOrAn(k.settings[0]))
	case !slices.Contains(k.settings, a.Setting) && k.settings == nil:
		return fmt.Errorf("%s is a setting; %s needs an argument", value, name)
	case !slices.Contains(k.settings, a.Setting):
		return fmt.Errorf("%s is %s; %s needs %s", value, aOrAn(a.Setting), name, aOrAn(k.settings[0]))
	case k.values != nil:
		return k.values(returns, a)
	}
	return nil
}

// withKey prefixes an error with its key.
func withKey(name string, err error) error {
	if name == lone || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// aOrAn returns a type with its article.
func aOrAn[T ~string](typ T) string {
	if strings.ContainsAny(string(typ[:1]), "aeiou") {
		return "an " + string(typ)
	}
	return "a " + string(typ)
}

// noun says what the key names, in words.
func (k key) noun() string {
	switch {
	case k.types != nil && k.settings != nil:
		return "argument or setting"
	case k.settings != nil:
		return "setting"
	}
	return "argument"
}

// resource returns a key for an argument of one of the types.
func resource(m Measure, types func(plan.Type) bool) key { return key{types: types, measure: m} }

// resourceOr returns a key for an argument of one of the types, or for a parameter.
func resourceOr(m Measure, types func(plan.Type) bool, settings ...param.Type) key {
	return key{types: types, measure: m, settings: settings}
}

// parameter returns a key for a parameter of one of the types.
func parameter(types ...param.Type) key { return key{settings: types} }

// oneOf returns a key for one of these words.
func oneOf(words ...string) key {
	return key{word: func(_ plan.Type, s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%q is not %s", s, strings.Join(words, " or "))
		}
		return nil
	}}
}

// choiceOf returns a key for a choice that only has these values, since others cannot be measured.
func choiceOf(known ...string) key {
	k := parameter(param.Choice)
	k.values = func(_ plan.Type, a Arg) error {
		for _, v := range a.Values {
			if !slices.Contains(known, v) {
				return fmt.Errorf("%s can be %s, which cannot be measured; name its values %s", a.Name, v, strings.Join(known, ", "))
			}
		}
		return nil
	}
	return k
}

// choiceWith returns a key for a choice that has this value, among others.
func choiceWith(one string) key {
	k := parameter(param.Choice)
	k.values = func(_ plan.Type, a Arg) error {
		if !slices.Contains(a.Values, one) {
			return fmt.Errorf("%s cannot be %s, so it changes nothing here", a.Name, one)
		}
		return nil
	}
	return k
}

// aFormat returns a key for a format of the return type.
func aFormat() key {
	return key{word: func(returns plan.Type, s string) error {
		if _, ok := named(returns, s); !ok {
			return fmt.Errorf("the format %q of %s cannot be detected", s, aOrAn(returns))
		}
		return nil
	}}
}

// namedFormat returns a key for a format parameter.
func namedFormat() key {
	k := parameter(param.Format)
	k.values = func(returns plan.Type, a Arg) error {
		for _, v := range a.Values {
			if err := aFormat().word(returns, v); err != nil {
				return err
			}
		}
		return nil
	}
	return k
}

func aTime() key {
	return key{word: func(_ plan.Type, s string) error {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return fmt.Errorf("%q is not a duration, such as 30s or 500ms", s)
		}
		return nil
	}}
}

func aNumber(least float64) key {
	return key{word: func(_ plan.Type, s string) error {
		if v, err := strconv.ParseFloat(s, 64); err != nil || !(v >= least) || v > 1e9 {
			return fmt.Errorf("%q is not a number of at least %g", s, least)
		}
		return nil
	}}
}

// orNumber returns a key for a parameter or a number.
func orNumber(least float64, named key) key {
	return key{settings: named.settings, word: aNumber(least).word}
}

func aSize() key {
	return key{word: func(_ plan.Type, s string) error {
		if z, ok := quantity.Size(s); !ok || z.Width == 0 || z.Height == 0 {
			return fmt.Errorf("%q is not a size, such as 800x600", s)
		}
		return nil
	}}
}

// Groups of types by what can be measured of them.
func picture(t plan.Type) bool   { return t.Fits(plan.Image) }
func film(t plan.Type) bool      { return t == plan.Video }
func heard(t plan.Type) bool     { return t == plan.Audio || t == plan.Video }
func seen(t plan.Type) bool      { return picture(t) || film(t) }
func soundOnly(t plan.Type) bool { return t == plan.Audio }
func lasting(t plan.Type) bool   { return heard(t) || t == plan.Image }
func listed(t plan.Type) bool    { return t == plan.BBox || t == plan.Points || t == plan.Category }
func written(t plan.Type) bool {
	return t.Media() && t != plan.HTML && t != plan.Document && t != plan.Archive && t != plan.AnyFile
}
func worded(t plan.Type) bool   { return !t.Media() && !listed(t) }
func readable(t plan.Type) bool { return worded(t) || t == plan.HTML }
func anyType(plan.Type) bool    { return true }
func covering(t plan.Type) bool { return t == plan.Mask }
