package english

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// NextFormat returns the index of the next format in a list, after the format before i; 0 if the list ends there.
func (g *Grammar) NextFormat(words []retrieve.Word, i int) int {
	joined := false
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w.IsMark() && (w.Text == "," || w.Text == "&" || w.Text == "/" || w.Text == "+"), g.Is("joining words", w) && w.Lower() != "but":
			joined = true
		case joined && w.Kind == retrieve.Plain && retrieve.IsFormat(w.Lower()):
			return i
		case !joined || !g.Is("targets", w) && !g.Is("articles", w):
			return 0
		}
	}
	return 0
}

// IsPassage reports whether words only name a part of a sound or a video: "the first 5 seconds".
func (g *Grammar) IsPassage(words []retrieve.Word) bool {
	counts := slices.ContainsFunc(words, func(w retrieve.Word) bool { return Ordinals[w.Lower()] != 0 }) && g.Any("time units", words)
	return counts && !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !g.Is("determiners", w) && Ordinals[w.Lower()] == 0 && !g.Is("time units", w) && !g.Is("only", w)
	})
}

// MapNouns are the nouns that name special kinds of pictures.
var MapNouns = map[string]plan.Type{
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
