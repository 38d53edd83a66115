package match

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Features holds the features of a clause for matching, which are the same for all tools.
type Features struct {
	*values.Reader

	r       *scene.Reading
	implied []scene.Thing      // media that it may mean without naming a file
	files   map[plan.Type]int  // number of named files by type
	hand    []scene.Thing      // the named files, or all things
	direct  map[plan.Type]bool // types of hand
	classes []string           // classes of the meaningful words except its verb
	colours profile.Set        // colours among them
	quotes  int
	units   []quantity.Unit  // units of its quantities
	last    plan.Type        // type of the latest made or mentioned thing
	valued  bool             // it is only a setting of a tool: "make it sepia"
	ordered scene.MarkEffect // of the marked part
}

// Features computes the features of a clause.
func (m *Matcher) Features(r *scene.Reading) *Features {
	v := &Features{
		Reader: m.Reader, r: r, files: map[plan.Type]int{}, direct: map[plan.Type]bool{}, colours: profile.Set{},
		hand: r.Files, last: m.Things.Focus(),
	}
	if len(r.Files) == 0 {
		v.hand = m.Things
		if r.Clause.Bare && r.Prev != nil && len(r.Prev.Results) > 0 { // it goes on with these
			v.hand = r.Prev.Results
		}
		seen := map[plan.Type]bool{}
		for _, e := range slices.Backward(v.hand) {
			if b := profile.Base(e.Typ); e.Typ.Media() && !seen[b] {
				seen[b] = true
				v.implied = append(v.implied, e)
			}
		}
	}
	for _, e := range r.Files {
		v.files[e.Typ]++
	}
	if r.Marked() && r.Form == retrieve.Order {
		v.ordered = m.MarkEffect(r.Clause.Words)
	}
	for _, e := range v.hand {
		v.direct[e.Typ], v.direct[profile.Base(e.Typ)] = true, true
		v.direct[plan.AnyFile] = v.direct[plan.AnyFile] || e.Typ.Fits(plan.AnyFile)
	}
	for _, q := range r.Stated {
		if q.Unit != quantity.Number {
			v.units = append(v.units, q.Unit)
		}
	}
	v.collect()
	return v
}

// Unexplained counts the words explained neither by grammar nor by the tool. A quotation counts as two.
func (v *Features) Unexplained(f *profile.Profile) int {
	n := 2 * v.quotes
	for _, class := range v.classes {
		if !v.Index.Vocabulary(f.Name, class) && !f.Values[class] && (!f.Coloured || !v.colours[class]) {
			n++
		}
	}
	return n
}

// NamesThing reports whether a word of the clause may name what a picture shows: no tool that does one thing to the files knows
// it. In "take the colour out" and "put it bottom left, small" all words are such a tool's.
func (v *Features) NamesThing() bool {
	marked := func(e scene.Thing) bool { return profile.MarkType(e.Typ) }
	shown := v.r.Prev != nil && v.r.Refs.Pronoun && v.r.Prev.Object != "" || slices.ContainsFunc(v.Things, marked)
	return v.quotes > 0 || v.r.Marked() || shown || slices.ContainsFunc(v.classes, func(class string) bool {
		return !v.colours[class] && !slices.ContainsFunc(v.Profiles, func(f profile.Profile) bool {
			return !f.Free() && f.Returns.Media() && !f.Generates() && v.direct[f.Returns] && v.Index.Vocabulary(f.Name, class)
		})
	})
}

// IsSetting reports whether the clause states a required value of the tool, and the tool changes media of an available
// type.
func (v *Features) IsSetting(f *profile.Profile) bool {
	return len(f.Media) == 1 && f.Media[0].Type == f.Returns && v.direct[f.Returns] &&
		slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return !a.Optional && a.Param != nil && (a.Param.Type == param.Adjustment || a.Param.Type == param.Choice) && a.Param.Reads(v.Said(v.r, a, f))
		})
}

// collect finds the words of the clause, and of later remarks about it, that a tool must explain.
func (v *Features) collect() {
	words := v.r.Words
	_, several := v.Nth(1, plan.AnyFile)
	for i := 0; i < len(words); i++ {
		if words[i].IsQuote() {
			v.quotes++
		}
		if several && v.Counts(words, i) { // only picks a file
			continue
		}
		if words[i].Kind != retrieve.Plain || v.r.Marked() && v.SpeaksOfMark(words, i) || v.measures(words[i]) || v.isShown(words, i) {
			continue
		}
		class, length := v.Lexicon.ClassAt(words, i)
		if length > 1 || (i > 0 || !v.CanOrder(words[0].Lower())) && !v.IsFiller(words[i]) && !v.Is("amount words", words[i]) {
			v.classes = append(v.classes, class)
			v.colours[class] = v.colours[class] || profile.AnyColour.Reads(words[i].Text)
		}
		i += length - 1
	}
}

// measures reports whether the word belongs to a quantity with a unit: "44.1 kHz".
func (v *Features) measures(w retrieve.Word) bool {
	return slices.ContainsFunc(v.r.Stated, func(q quantity.Quantity) bool {
		return slices.Contains(values.PlainUnits, q.Unit) && clause.Overlaps(w, q, v.r.Clause.Words[0].Start)
	})
}

// isShown reports whether the word at i refers to a given file by its format: "this gif".
func (v *Features) isShown(words []retrieve.Word, i int) bool {
	return i > 0 && retrieve.IsFormat(words[i].Lower()) && v.Determined(words, i) && v.ShownFormat(words, i)
}

func (v *Features) has(typ plan.Type) bool { _, ok := v.Things.Latest(typ, scene.Anything); return ok }

// namesColumn reports whether the clause names a column of a given table.
func (v *Features) namesColumn() bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !v.Lexicon.Stop(w.Lower()) && v.Columns[w.Lower()]
	})
}

// wanted returns the type of result that the clause names: "give me a mask of …", "depth map for …", "the pages as
// pictures"; "" if it names none. It is the last such noun before the first preposition, or the type that something
// becomes.
func (v *Features) wanted() plan.Type {
	words := v.Lexicon.Lead(v.r.Words)
	if typ := v.becomes(words); typ != "" && v.r.Form == retrieve.Order {
		return typ
	}
	hands := func(text string) bool { return v.In("handing", text) }
	if v.r.Form != retrieve.Order || len(words) == 0 || v.IsVerb(words[0]) && !hands(words[0].Lower()) && !hands(v.Lexicon.Class(words[0].Stem)) {
		return ""
	}
	var found plan.Type
	for i, w := range words {
		if w.Kind != retrieve.Plain || v.Is("prepositions", w) && i > 0 {
			break
		}
		typ, named := english.MapNouns[w.Lower()]
		switch {
		case named && v.mayHoldMaps():
			found = typ
		case v.Lexicon.Class(w.Stem) == "box":
			found = plan.BBox
		case found == "" && (i > 0 || len(words) > 1 && words[1].Lower() == "every") && !v.Determined(words, i):
			if found = v.Lexicon.MediaNoun(words[i : i+1]); v.Is("sound nouns", w) {
				found = plan.Audio
			}
		}
	}
	return found
}

// mayHoldMaps reports whether the clause can refer to maps: "the lines" is not a map if there are only texts.
func (v *Features) mayHoldMaps() bool { return v.Things.Media() || !v.Things.SentText() }

// becomes returns the type of media to convert something to: "… as pictures", "… into one video"; "" if none is named.
func (v *Features) becomes(words []retrieve.Word) plan.Type {
	for i, w := range words {
		if text := w.Lower(); i == 0 || text != "as" && text != "into" {
			continue
		}
		for k := i + 1; k < min(i+4, len(words)) && !v.Is("prepositions", words[k]); k++ {
			if typ := v.Lexicon.MediaNoun(words[k : k+1]); typ != "" && !v.Determined(words, k) {
				return typ
			}
		}
	}
	return ""
}

// features returns the words of the clause, and the media that it names or may mean.
func (v *Features) features() []string {
	features := v.Lexicon.Features(v.withoutReferences())
	if v.r.Marked() && v.r.Form == retrieve.Order {
		features = v.partFeatures(features)
	}
	add := func(t plan.Type) {
		if f := retrieve.MediaFeature(t); !slices.Contains(features, f) {
			features = append(features, f)
		}
	}
	for i, e := range v.implied {
		add(profile.Base(e.Typ))
		if i == 0 && v.r.Refs.Points() {
			add(e.Typ)
		}
	}
	for _, e := range v.r.Files {
		add(e.Typ)
		add(profile.Base(e.Typ))
	}
	return features
}

// withoutReferences removes the nouns for existing things ("read the summary aloud"), which do not describe the
// wanted result.
func (v *Features) withoutReferences() []retrieve.Word {
	var out []retrieve.Word
	words := v.r.Clause.Words
	whole := v.r.Marked() && v.ordered != scene.KeepsOnlyMarked // "only" excludes nothing else
	for i, w := range words {
		noun := w.Lower()
		typ, isMap := english.MapNouns[noun]
		refers := v.In("results", noun) || v.In("text nouns", noun) && v.has(plan.Text) || v.In("sound nouns", noun) && v.has(plan.Audio) ||
			isMap && v.Things.Focus() == typ && len(v.r.Files) == 0
		there := refers && v.Determined(words, i) || v.isShown(words, i)
		if w.Kind == retrieve.Plain && (i > 0 && there || v.r.Marked() && v.SpeaksOfMark(words, i) || whole && v.Is("only", w)) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// partFeatures returns the features of a clause about the marked part.
func (v *Features) partFeatures(features []string) []string {
	as := func(text string) []string { return v.Lexicon.Features(v.Lexicon.Words(text, nil)) }
	switch v.ordered {
	case scene.RemovesMarked:
		return as(eraseThePart)
	case scene.KeepsOnlyMarked:
		return as(OnlyThePart)
	default:
		return features
	}
}

// Queries for tools that work on a marked part.
const (
	OnlyThePart  = "crop to it, keep only what is under the mask and make the rest blank"
	eraseThePart = "erase it, inpaint it, remove the masked thing and make it vanish"
)
