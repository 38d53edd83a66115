package rules

import (
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// fileSpans finds the names of the request's resources in the text, and whatever else looks
// like the name of a file. It is never nil, so that no other names are looked for.
func (t *thread) fileSpans() []retrieve.Span {
	found, taken := []retrieve.Span{}, make([]bool, len(t.text))
	add := func(s retrieve.Span) {
		if place := taken[s.Start:s.End]; !slices.Contains(place, true) {
			for i := range place {
				place[i] = true
			}
			found = append(found, s)
		}
	}
	if text := strings.ToLower(t.text); len(text) == len(t.text) { // else the places in the two differ
		for _, n := range t.fileNames() {
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
	for _, s := range retrieve.FileSpans(t.text) {
		add(s)
	}
	slices.SortFunc(found, func(a, b retrieve.Span) int { return a.Start - b.Start })
	return found
}

// fileName is a name in lower case by which a resource may be called.
type fileName struct {
	text string
	typ  plan.Type
}

// fileNames are the names of the request's resources, the longest first.
func (t *thread) fileNames() []fileName {
	var names []fileName
	for _, r := range t.request.Resources() {
		for _, name := range []string{r.Name, r.File} {
			if name != "" {
				names = append(names, fileName{strings.ToLower(name), r.Type})
			}
		}
	}
	slices.SortStableFunc(names, func(a, b fileName) int { return len(b.text) - len(a.text) })
	return names
}

// insideWord reports whether the text from begin to end is only a part of a longer name.
func insideWord(text string, begin, end int) bool {
	inName := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '_' || b >= 0x80
	}
	return begin > 0 && (inName(text[begin-1]) || text[begin-1] == '/') && inName(text[begin]) ||
		end < len(text) && inName(text[end-1]) && inName(text[end])
}

// lookup returns the resource that a name means: by its own name, by the name that the
// user's file had (the latest of that name), or by the last part of a path.
func (t *thread) lookup(name string) (plan.Resource, bool) {
	all := t.request.Resources()
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
	return plan.Resource{}, false
}

// inferTypes learns from the words before a name what kind of picture it is: "the depth map room.png".
func (t *thread) inferTypes() {
	for i, w := range t.words {
		if !isFile(w) {
			continue
		}
		r, ok := t.lookup(w.Text)
		if !ok || r.Type != plan.Image {
			continue
		}
		for k := i - 1; k >= max(0, i-4); k-- {
			if before := t.words[k]; before.Kind != retrieve.Plain && before.Text != "," {
				break
			} else if typ, ok := mapNouns[lower(before)]; ok {
				t.retype(r.Name, typ)
				t.words[i].Media = typ
				break
			} else if before.Text != "," && !t.english.is("map tails", before) {
				break
			}
		}
	}
}

// learnType learns from a clause that only brings a picture in of which kind it is:
// "hed_face.png holds HED outlines".
func (t *thread) learnType(c *reading) {
	if len(c.files) != 1 || c.files[0].typ != plan.Image {
		return
	}
	for _, w := range c.clause.words {
		if typ, ok := mapNouns[lower(w)]; ok && w.Kind == retrieve.Plain {
			t.retype(c.files[0].source.Name, typ)
			return
		}
	}
}

// retype keeps of which kind a picture is.
func (t *thread) retype(name string, typ plan.Type) {
	t.types[name] = typ
	for i := range t.things {
		if t.things[i].source.Kind == plan.OfResource && t.things[i].source.Name == name {
			t.things[i].typ = typ
		}
	}
}

// mapNouns are the nouns that name special kinds of pictures.
var mapNouns = map[string]plan.Type{
	"mask": plan.Mask, "masks": plan.Mask, "matte": plan.Mask,
	"segmentation": plan.Segmentation, "segmentations": plan.Segmentation,
	"edge": plan.Edge, "edges": plan.Edge, "canny": plan.Edge,
	"line": plan.Line, "lines": plan.Line, "mlsd": plan.Line, "hough": plan.Line,
	"hed":      plan.HED,
	"scribble": plan.Scribble, "scribbles": plan.Scribble, "sketch": plan.Scribble, "doodle": plan.Scribble,
	"pose": plan.Pose, "poses": plan.Pose, "skeleton": plan.Pose, "openpose": plan.Pose,
	"depth":  plan.Depth,
	"normal": plan.Normal, "normals": plan.Normal,
}
