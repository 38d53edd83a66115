// Package retrieve finds the tools of a catalogue whose descriptions and example requests are most
// similar to a text. Both planners use it: the rules to understand a request, the language model to
// reduce a large catalogue to the relevant tools.
//
// Guarantees:
//   - It knows only the catalogue and general English (synonyms.txt, stopwords.txt). A new tool is
//     found by its own words immediately.
//   - An [Index] is read-only and safe for concurrent use. Scores are between 0 and 1.
package retrieve

import (
	"cmp"
	"math"

	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Hit is a tool with its similarity to the text, 0 to 1.
type Hit struct {
	Tool  string
	Score float64
	// Example is the most similar example request, without braces.
	Example string
}

// Index holds the features of every example request and description.
type Index struct {
	lexicon  *Lexicon
	examples []document
	postings map[string][]int // feature → examples that contain it
	about    map[string][]int // feature → tools whose description contains it
	abouts   []document       // descriptions, by tool
	weight   map[string]float64
	tools    []string
	// absorbs marks tools that take a text, which may account for the unmatched words of a request.
	absorbs []bool
	media   map[string][]plan.Type // media types that a tool takes
	names   map[string]string      // tool name written as words → tool name
	vocab   map[string]map[string]bool
	words   map[string]bool // words of the examples outside slots
}

// generic is added to the weight of each example, so that very short examples do not match everything.
const generic = 2

// Exponents for the weight of a request's words that an example lacks.
const (
	lacking  = 0.45
	absorbed = 0.3 // if the tool takes a text
)

// wrongMedia is the factor for tools that take other media types than those in a request.
const wrongMedia = 0.6

type document struct {
	tool     int
	text     string
	features []string
	norm     float64
	scale    float64 // for examples: divisor of the weight shared with a request
}

// New indexes the tools.
func New(lexicon *Lexicon, tools []toolbox.Tool) *Index {
	x := &Index{
		lexicon: lexicon, postings: map[string][]int{}, about: map[string][]int{},
		weight: map[string]float64{}, names: map[string]string{}, vocab: map[string]map[string]bool{}, words: map[string]bool{},
		media: map[string][]plan.Type{},
	}
	for i, t := range tools {
		x.read(i, t)
	}
	x.weigh(len(tools))
	return x
}

// kindWeight returns the weight of a kind of feature relative to a plain word.
func kindWeight(f string) float64 {
	switch {
	case strings.HasPrefix(f, formPrefix):
		return 0.8
	case strings.HasPrefix(f, verbPrefix):
		return 0.6
	case strings.HasPrefix(f, mediaPrefix):
		return 0.6
	case strings.Contains(f, " "):
		return 0.6
	}
	return 1
}

// Known reports whether some example or description contains the word.
func (x *Index) Known(stem string) bool { _, ok := x.weight[stem]; return ok }

// Vocabulary reports whether a word class occurs in the tool's example requests outside slots: such a
// word asks for the tool rather than naming an object.
func (x *Index) Vocabulary(tool, class string) bool { return x.vocab[tool][class] }

// Named returns the tool whose name is in the text as words ("object detection", "`image_to_edge`"),
// "" if there is none; the longest one wins.
func (x *Index) Named(text string) string {
	canonical := " " + x.lexicon.canonical(strings.ReplaceAll(text, "_", " ")) + " "
	best, tool := 0, ""
	for name, t := range x.names {
		if len(name) > best && strings.Contains(canonical, " "+name+" ") {
			best, tool = len(name), t
		}
	}
	return tool
}

// Search ranks all tools that share a feature, best first.
func (x *Index) Search(features []string) []Hit {
	norm := x.norm(features)
	if norm == 0 {
		return nil
	}
	shared := make([]float64, len(x.examples))
	described := make([]float64, len(x.abouts))
	for _, f := range features {
		w := x.weight[f]
		for _, e := range x.postings[f] {
			shared[e] += w
		}
		for _, t := range x.about[f] {
			described[t] += w
		}
	}
	wishScale, absorbedScale := math.Pow(norm, lacking), math.Pow(norm, absorbed)
	type best struct {
		first, second float64
		example       int
	}
	tops := make([]best, len(x.tools))
	for i := range tops {
		tops[i].example = -1
	}
	for i, s := range shared {
		if s == 0 {
			continue
		}
		d := &x.examples[i]
		sim := s / (d.scale * wishScale)
		if x.absorbs[d.tool] {
			sim = s / (d.scale * absorbedScale)
		}
		top := &tops[d.tool]
		switch {
		case sim > top.first:
			top.first, top.second, top.example = sim, top.first, i
		case sim > top.second:
			top.second = sim
		}
	}
	var hits []Hit
	for t, top := range tops {
		var desc float64
		if described[t] > 0 {
			desc = described[t] / math.Sqrt(x.abouts[t].norm*norm)
		}
		score := 0.72*min(1, top.first) + 0.14*min(1, top.second) + 0.14*min(1, desc)
		if score == 0 {
			continue
		}
		h := Hit{Tool: x.tools[t], Score: min(score, 1)}
		if top.example >= 0 {
			h.Example = x.examples[top.example].text
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, nearer)
	return hits
}

func nearer(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Tool, b.Tool))
}

// Nearest ranks the tools for a text. Tools that take other media than those in the text are ranked lower.
func (x *Index) Nearest(text string) []Hit {
	features := x.lexicon.Features(x.Correct(x.lexicon.Words(text, nil)))
	hits := x.Search(features)
	if given := mediaIn(features); len(given) > 0 {
		for i, h := range hits {
			if x.takesOthers(h.Tool, given) {
				hits[i].Score *= wrongMedia
			}
		}
		slices.SortFunc(hits, nearer)
	}
	return hits
}

// mediaIn returns the media types among the features.
func mediaIn(features []string) []plan.Type {
	var types []plan.Type
	for _, f := range features {
		if t, ok := strings.CutPrefix(f, mediaPrefix); ok {
			types = append(types, plan.Type(t))
		}
	}
	return types
}

// takesOthers reports whether the tool takes media, but none of the given types.
func (x *Index) takesOthers(tool string, types []plan.Type) bool {
	takes := x.media[tool]
	return len(takes) > 0 && !slices.ContainsFunc(takes, func(a plan.Type) bool {
		return slices.ContainsFunc(types, func(given plan.Type) bool { return a.Fits(given) || given.Fits(a) })
	})
}

// read indexes the words of a tool.
func (x *Index) read(i int, t toolbox.Tool) {
	x.tools = append(x.tools, t.Name)
	x.absorbs = append(x.absorbs, slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Type == plan.Text }))
	for _, a := range t.Args {
		if a.Type.Media() {
			x.media[t.Name] = append(x.media[t.Name], a.Type)
		}
	}
	name := strings.ReplaceAll(t.Name, "_", " ")
	if strings.Contains(name, " ") { // single words such as "translation" are ordinary nouns
		x.names[x.lexicon.canonical(name)] = t.Name
	}
	x.vocab[t.Name] = map[string]bool{}
	examples := t.Examples
	if len(examples) == 0 { // use the description if there are no examples
		examples = []string{strings.TrimRight(t.Description, "."), name}
	}
	for _, e := range examples {
		words := x.lexicon.exampleWords(e)
		fs := x.lexicon.Features(words)
		for _, w := range words {
			if w.Kind == Plain && len(w.Text) > 3 {
				x.words[strings.ToLower(w.Text)] = true
			}
		}
		x.examples = append(x.examples, document{tool: i, text: toolbox.Wish(e), features: fs})
		for _, f := range fs {
			if !strings.ContainsAny(f, ": ") {
				x.vocab[t.Name][f] = true
			}
		}
	}
	fs := x.lexicon.Features(x.lexicon.Words(name+". "+t.Description, nil))
	x.abouts = append(x.abouts, document{tool: i, features: fs})
}

// weigh weights each feature by its rareness among the tools.
func (x *Index) weigh(tools int) {
	holders := map[string]map[int]bool{}
	note := func(d document) {
		for _, f := range d.features {
			if holders[f] == nil {
				holders[f] = map[int]bool{}
			}
			holders[f][d.tool] = true
		}
	}
	for _, d := range x.examples {
		note(d)
	}
	for _, d := range x.abouts {
		note(d)
	}
	n := float64(tools)
	for f, in := range holders {
		df := float64(len(in))
		x.weight[f] = kindWeight(f) * math.Log(1+(n-df+0.5)/(df+0.5))
	}
	for i := range x.examples {
		d := &x.examples[i]
		d.norm = x.norm(d.features)
		share := lacking
		if x.absorbs[d.tool] {
			share = absorbed
		}
		d.scale = math.Pow(d.norm+generic, 1-share)
		for _, f := range x.examples[i].features {
			x.postings[f] = append(x.postings[f], i)
		}
	}
	for i := range x.abouts {
		x.abouts[i].norm = x.norm(x.abouts[i].features)
		for _, f := range x.abouts[i].features {
			x.about[f] = append(x.about[f], i)
		}
	}
}

func (x *Index) norm(features []string) float64 {
	var sum float64
	for _, f := range features {
		sum += x.weight[f]
	}
	return sum
}

// MediaFeature returns the feature of a request with media of that type.
func MediaFeature(t plan.Type) string { return mediaPrefix + string(t) }
