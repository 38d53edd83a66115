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
	// Setting is the type of a parameter, "" for a resource; Values are those of a choice or a format.
	Setting param.Type
	Values  []string
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
		return []error{fmt.Errorf("there is no effect called %s; the effects are %s", e.Name, strings.Join(slices.Sorted(maps.Keys(specs)), ", "))}
	}
	if word, ok := e.word(); ok && s.keys[lone].word == nil && s.keys[lone].types == nil {
		need := s.needs[0]
		if !slices.ContainsFunc(args, func(a Arg) bool { return a.Name == word }) {
			word = s.keys[need].stands()
		}
		return []error{fmt.Errorf("write %s: {%s: %s}", e.Name, need, word)}
	}
	var faults []error
	if !s.of(returns) {
		faults = append(faults, fmt.Errorf("it does not apply to what the tool returns, which is %s", returns))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Rule)) {
		k, ok := s.keys[name]
		if !ok {
			faults = append(faults, fmt.Errorf("%s has no field %s; it has %s", e.Name, name, strings.Join(s.fields(), ", ")))
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

// fields are the names of the keys that a rule may have.
func (s spec) fields() []string { return slices.Sorted(maps.Keys(s.keys)) }

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
	// settings are the types of the parameter that it names; nil if it names none. values says what is
	// wrong with the values of a choice, if anything is.
	settings []param.Type
	values   func(returns plan.Type, a Arg) error
	// word says what is wrong with a word of a tool that returns that type, if anything is.
	word func(returns plan.Type, s string) error
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

func (k key) check(name, value string, returns plan.Type, args []Arg) error {
	var unread error
	if k.word != nil {
		unread = k.word(returns, value)
		if unread == nil || k.settings == nil {
			return under(name, unread)
		}
	}
	at := slices.IndexFunc(args, func(a Arg) bool { return a.Name == value })
	switch {
	case at < 0 && unread != nil:
		return under(name, fmt.Errorf("%w, and no setting is called that", unread))
	case at < 0:
		return under(name, fmt.Errorf("there is no %s called %s", k.called(), value))
	}
	a := args[at]
	switch {
	case a.Setting == "" && k.types != nil && k.types(a.Type):
		return nil
	case a.Setting == "" && k.types != nil:
		return under(name, fmt.Errorf("%s is %s, of which that cannot be measured", value, aOrAn(a.Type)))
	case a.Setting == "":
		return fmt.Errorf("%s is no setting; %s needs %s", value, name, aOrAn(k.settings[0]))
	case !slices.Contains(k.settings, a.Setting) && k.settings == nil:
		return fmt.Errorf("%s is a setting; %s needs an argument", value, name)
	case !slices.Contains(k.settings, a.Setting):
		return fmt.Errorf("%s is %s; %s needs %s", value, aOrAn(a.Setting), name, aOrAn(k.settings[0]))
	case k.values != nil:
		return k.values(returns, a)
	}
	return nil
}

// under is an error of what stands under a key.
func under(name string, err error) error {
	if name == lone || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// aOrAn puts the article before a type.
func aOrAn[T ~string](typ T) string {
	if strings.ContainsAny(string(typ[:1]), "aeiou") {
		return "an " + string(typ)
	}
	return "a " + string(typ)
}

// called is what the key names, in words.
func (k key) called() string {
	switch {
	case k.types != nil && k.settings != nil:
		return "argument or setting"
	case k.settings != nil:
		return "setting"
	}
	return "argument"
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
	return key{word: func(_ plan.Type, s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("%q is not %s", s, strings.Join(words, " or "))
		}
		return nil
	}}
}

// choiceOf is a key that names a choice with no other values than these, which alone can be measured.
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

// choiceWith is a key that names a choice with this value among others.
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

// aFormat is a key whose word is a format of the type that the tool returns.
func aFormat() key {
	return key{word: func(returns plan.Type, s string) error {
		if _, ok := named(returns, s); !ok {
			return fmt.Errorf("%q is no format of %s that can be told", s, aOrAn(returns))
		}
		return nil
	}}
}

// namedFormat is a key that names a format.
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
			return fmt.Errorf("%q is no time, such as 30s or 500ms", s)
		}
		return nil
	}}
}

func aNumber(least float64) key {
	return key{word: func(_ plan.Type, s string) error {
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
	return key{word: func(_ plan.Type, s string) error {
		if z, ok := quantity.Size(s); !ok || z.Width == 0 || z.Height == 0 {
			return fmt.Errorf("%q is no size, such as 800x600", s)
		}
		return nil
	}}
}

// The types of which something can be measured.
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
