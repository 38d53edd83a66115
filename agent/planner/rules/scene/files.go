package scene

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/retrieve"
)

// Files finds the files of a request by the names that people use.
type Files struct {
	*english.Grammar

	request *plan.Request
	script  *Script
}

// minWord is the minimum number of letters of a word of a file name that identifies the file.
const minWord = 3

// fileName is a lower-case name for a resource.
type fileName struct {
	text string
	typ  plan.Type
}

// insideWord reports whether the text from begin to end is part of a longer name.
func insideWord(text string, begin, end int) bool {
	inName := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '_' || b >= 0x80
	}
	return begin > 0 && (inName(text[begin-1]) || text[begin-1] == '/') && inName(text[begin]) ||
		end < len(text) && inName(text[end-1]) && inName(text[end])
}

// SpeaksOfFile reports whether noun refers to the only file of the message.
func (f *Files) SpeaksOfFile(noun string) bool {
	_, ok := f.Namesake(noun)
	return ok && len(f.request.Given) == 1
}

// Content identifies the content of a file, which several files may have; "" if it is unknown.
func (f *Files) Content(name string) string {
	for _, r := range f.request.Resources() {
		if r.Name == name {
			return r.Blob
		}
	}
	return ""
}

// Lookup returns the resource with a name: its own name, the user's file name (the latest such file), or the last
// part of a path.
func (f *Files) Lookup(name string) (plan.Resource, bool) {
	all := f.request.Resources()
	for _, same := range []func(plan.Resource) bool{
		func(r plan.Resource) bool { return r.Name == name },
		func(r plan.Resource) bool { return strings.EqualFold(r.Name, name) || strings.EqualFold(r.File, name) },
		func(r plan.Resource) bool {
			last := path.Base(name)
			return strings.EqualFold(path.Base(r.File), last) || strings.EqualFold(path.Base(r.Name), last)
		},
	} {
		for _, r := range slices.Backward(all) {
			if same(r) {
				return r, true
			}
		}
	}
	if f.isCalled(strings.ToLower(name)) {
		return f.request.Given[0], true
	}
	return f.Namesake(strings.ToLower(name))
}

// NamedTwice returns the file that words name twice, such as one that is to be compared with itself; "" if there is none.
func (f *Files) NamedTwice(words []retrieve.Word) string {
	var names []string
	for _, w := range words {
		res, ok := f.Lookup(w.Text)
		if !ok || !w.IsFile() {
			continue
		}
		alike := func(o plan.Resource) bool { return o.Name != res.Name && strings.EqualFold(o.File, w.Text) }
		if slices.Contains(names, res.Name) && !slices.ContainsFunc(f.request.Resources(), alike) {
			return w.Text
		}
		names = append(names, res.Name)
	}
	return ""
}

// Called returns the names under which people know things: those of their own files.
func (f *Files) Called(es []Thing) []string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Source.Name
		for _, r := range f.request.Resources() {
			if r.Name == e.Source.Name && r.File != "" {
				names[i] = r.File
				break
			}
		}
	}
	return names
}

// Namesake returns the only file of the message with a word in its name. It skips files whose full name is in the
// text: then "the dog" may be a dog in dog.jpg.
func (f *Files) Namesake(word string) (found plan.Resource, ok bool) {
	for _, r := range f.request.Given {
		name := cmp.Or(r.File, r.Name)
		stem := strings.TrimSuffix(name, path.Ext(name))
		if len(word) < minWord || !slices.Contains(english.WordsOf(stem), word) || strings.Contains(strings.ToLower(f.script.Text), strings.ToLower(name)) {
			continue
		}
		if ok {
			return plan.Resource{}, false
		}
		found, ok = r, true
	}
	return found, ok
}

// called finds nouns that refer to one of several files by a word of its name: "lay the music under the interview",
// with music.mp3 and interview.wav.
func (f *Files) called() []retrieve.Span {
	words := f.Lexicon.Words(f.script.Text, []retrieve.Span{})
	if len(f.request.Given) < 2 {
		return f.calledAlone(words)
	}
	var found []retrieve.Span
	sounds := slices.DeleteFunc(slices.Clone(f.request.Given), func(r plan.Resource) bool { return r.Type != plan.Audio })
	for i, w := range words {
		if i == 0 || w.Kind != retrieve.Plain || !f.Determined(words, i) || f.IsMedia(w) || f.Is("sound nouns", w) && len(sounds) < 2 {
			continue // "the music" is found as the only sound
		}
		if r, ok := f.Namesake(w.Lower()); ok && english.Ordinals[words[i-1].Lower()] == 0 { // not "the second one"
			found = append(found, retrieve.Span{Start: w.Start, End: w.End, Type: r.Type})
		}
	}
	return found
}

// calledAlone finds nouns that refer to the only file by its content: "crop this banner". A noun to hide or remove may
// be a thing on the picture instead.
func (f *Files) calledAlone(words []retrieve.Word) []retrieve.Span {
	if len(f.request.Given) != 1 || f.Lexicon.FormOf(words) != retrieve.Order || f.Any("protecting", words) {
		return nil
	}
	pointed := f.Any("pronouns", words)
	var found []retrieve.Span
	for i, w := range words {
		other := pointed && i > 0 && slices.Contains([]string{"our", "my"}, words[i-1].Lower()) // "put our logo on it"
		if i > 0 && !other && w.Kind == retrieve.Plain && f.Is("determiners", words[i-1]) && f.isCalled(w.Lower()) {
			found = append(found, retrieve.Span{Start: w.Start, End: w.End, Type: f.request.Given[0].Type})
		}
	}
	return found
}

// isCalled reports whether noun names the type of the only given file.
func (f *Files) isCalled(noun string) bool {
	lists := map[plan.Type]string{plan.Image: "picture nouns", plan.Video: "video nouns", plan.Document: "document nouns"}
	return len(f.request.Given) == 1 && f.In(lists[f.request.Given[0].Type], noun)
}

// spans finds the names of the request's resources in the text, and everything else that looks like a file name. It
// is never nil, so that no other names are searched for.
func (f *Files) spans() []retrieve.Span {
	text := f.script.Text
	found, taken := []retrieve.Span{}, make([]bool, len(text))
	add := func(s retrieve.Span) {
		if place := taken[s.Start:s.End]; !slices.Contains(place, true) {
			for i := range place {
				place[i] = true
			}
			found = append(found, s)
		}
	}
	if lower := strings.ToLower(text); len(lower) == len(text) { // otherwise their offsets differ
		for _, n := range fileNames(f.request.Resources()) {
			for from := 0; ; {
				at := strings.Index(lower[from:], n.text)
				if at < 0 {
					break
				}
				s := retrieve.Span{Start: from + at, End: from + at + len(n.text), Type: n.typ}
				if !insideWord(lower, s.Start, s.End) {
					add(s)
				}
				from = s.End
			}
		}
	}
	for _, s := range slices.Concat(retrieve.FileSpans(text), f.called()) {
		add(s)
	}
	slices.SortFunc(found, func(a, b retrieve.Span) int { return a.Start - b.Start })
	return found
}

// fileNames returns the names of resources, longest first.
func fileNames(resources []plan.Resource) []fileName {
	var names []fileName
	for _, r := range resources {
		for _, name := range []string{r.Name, r.File} {
			if name != "" {
				names = append(names, fileName{strings.ToLower(name), r.Type})
			}
		}
	}
	slices.SortStableFunc(names, func(a, b fileName) int { return len(b.text) - len(a.text) })
	return names
}
