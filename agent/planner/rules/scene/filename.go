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

// SpeaksOfFile reports whether a noun is what the only file of the message is called by.
func (s *Scene) SpeaksOfFile(noun string) bool {
	_, ok := s.namesake(noun)
	return ok && len(s.Request.Given) == 1
}

// Lookup returns the resource that a name means: by its own name, by the name that the
// user's file had (the latest of that name), or by the last part of a path.
func (s *Scene) Lookup(name string) (plan.Resource, bool) {
	all := s.Request.Resources()
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
	if s.isCalled(strings.ToLower(name)) {
		return s.Request.Given[0], true
	}
	return s.namesake(strings.ToLower(name))
}

// fileSpans finds the names of the request's resources in the text, and whatever else looks
// like the name of a file. It is never nil, so that no other names are looked for.
func (s *Scene) fileSpans() []retrieve.Span {
	found, taken := []retrieve.Span{}, make([]bool, len(s.Text))
	add := func(s retrieve.Span) {
		if place := taken[s.Start:s.End]; !slices.Contains(place, true) {
			for i := range place {
				place[i] = true
			}
			found = append(found, s)
		}
	}
	if text := strings.ToLower(s.Text); len(text) == len(s.Text) { // else the places in the two differ
		for _, n := range s.fileNames() {
			for from := 0; ; {
				at := strings.Index(text[from:], n.text)
				if at < 0 {
					break
				}
				s := retrieve.Span{Start: from + at, End: from + at + len(n.text), Type: n.typ}
				if !insideWord(text, s.Start, s.End) {
					add(s)
				}
				from = s.End
			}
		}
	}
	for _, s := range retrieve.FileSpans(s.Text) {
		add(s)
	}
	for _, s := range s.called() {
		add(s)
	}
	slices.SortFunc(found, func(a, b retrieve.Span) int { return a.Start - b.Start })
	return found
}

// called finds the nouns by which a request speaks of one of several files that is named so: "lay
// the music under the interview", with music.mp3 and interview.wav.
func (s *Scene) called() []retrieve.Span {
	words := s.Lexicon.Words(s.Text, []retrieve.Span{})
	if len(s.Request.Given) < 2 {
		return s.calledAlone(words)
	}
	var found []retrieve.Span
	sounds := slices.DeleteFunc(slices.Clone(s.Request.Given), func(r plan.Resource) bool { return r.Type != plan.Audio })
	for i, w := range words {
		if i == 0 || w.Kind != retrieve.Plain || !s.Determined(words, i) || s.IsMedia(w) || s.Is("sound nouns", w) && len(sounds) < 2 {
			continue // "the music" is found as the only sound
		}
		if r, ok := s.namesake(w.Lower()); ok && english.Ordinals[words[i-1].Lower()] == 0 { // not "the second one"
			found = append(found, retrieve.Span{Start: w.Start, End: w.End, Type: r.Type})
		}
	}
	return found
}

// calledAlone finds the nouns by which an order speaks of the only file as what it is: "crop this banner". What is to be
// hidden or removed may be a thing on it.
func (s *Scene) calledAlone(words []retrieve.Word) []retrieve.Span {
	if len(s.Request.Given) != 1 || s.Lexicon.FormOf(words) != retrieve.Order || s.Any("protecting", words) {
		return nil
	}
	pointed := s.Any("pronouns", words)
	var found []retrieve.Span
	for i, w := range words {
		other := pointed && i > 0 && slices.Contains([]string{"our", "my"}, words[i-1].Lower()) // "put our logo on it"
		if i > 0 && !other && w.Kind == retrieve.Plain && s.Is("determiners", words[i-1]) && s.isCalled(w.Lower()) {
			found = append(found, retrieve.Span{Start: w.Start, End: w.End, Type: s.Request.Given[0].Type})
		}
	}
	return found
}

// isCalled reports whether the noun says what the only file is.
func (s *Scene) isCalled(noun string) bool {
	lists := map[plan.Type]string{plan.Image: "picture nouns", plan.Video: "video nouns", plan.Document: "document nouns"}
	return len(s.Request.Given) == 1 && s.In(lists[s.Request.Given[0].Type], noun)
}

// minWord is the fewest letters of a word of a name by which a file is called.
const minWord = 3

// fileName is a name in lower case by which a resource may be called.
type fileName struct {
	text string
	typ  plan.Type
}

// namesake is the only file of the message whose name has that word in it. One that is named itself is
// not called by a word besides: the dog of dog.jpg may be what is on it.
func (s *Scene) namesake(word string) (found plan.Resource, ok bool) {
	for _, r := range s.Request.Given {
		name := cmp.Or(r.File, r.Name)
		stem := strings.TrimSuffix(name, path.Ext(name))
		if len(word) < minWord || strings.Contains(strings.ToLower(s.Text), strings.ToLower(name)) || !slices.Contains(english.WordsOf(stem), word) {
			continue
		}
		if ok {
			return plan.Resource{}, false
		}
		found, ok = r, true
	}
	return found, ok
}

// insideWord reports whether the text from begin to end is only a part of a longer name.
func insideWord(text string, begin, end int) bool {
	inName := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '_' || b >= 0x80
	}
	return begin > 0 && (inName(text[begin-1]) || text[begin-1] == '/') && inName(text[begin]) ||
		end < len(text) && inName(text[end-1]) && inName(text[end])
}

// fileNames are the names of the request's resources, the longest first.
func (s *Scene) fileNames() []fileName {
	var names []fileName
	for _, r := range s.Request.Resources() {
		for _, name := range []string{r.Name, r.File} {
			if name != "" {
				names = append(names, fileName{strings.ToLower(name), r.Type})
			}
		}
	}
	slices.SortStableFunc(names, func(a, b fileName) int { return len(b.text) - len(a.text) })
	return names
}

// inferTypes learns from the words before a name what kind of picture it is: "the depth map room.png".
func (s *Scene) inferTypes() {
	for i, w := range s.Words {
		if !w.IsFile() {
			continue
		}
		r, ok := s.Lookup(w.Text)
		if !ok || r.Type != plan.Image {
			continue
		}
		if typ, ok := english.MapNouns[w.Lower()]; ok { // "the mask", and there is a mask.png
			s.retype(r.Name, typ)
			s.Words[i].Media = typ
			continue
		}
		for k := i - 1; k >= max(0, i-4); k-- {
			if before := s.Words[k]; before.Kind != retrieve.Plain && before.Text != "," {
				break
			} else if typ, ok := english.MapNouns[before.Lower()]; ok {
				s.retype(r.Name, typ)
				s.Words[i].Media = typ
				break
			} else if before.Text != "," && !s.Is("map tails", before) {
				break
			}
		}
	}
}

// retype keeps of which kind a picture is.
func (s *Scene) retype(name string, typ plan.Type) {
	s.Types[name] = typ
	for i := range s.Things {
		if s.Things[i].Source.Kind == plan.OfResource && s.Things[i].Source.Name == name {
			s.Things[i].Typ = typ
		}
	}
}
