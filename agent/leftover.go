package agent

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/colornames"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// leftovers finds the parts of a request that a plan leaves out.
type leftovers struct {
	catalogue *toolbox.Catalogue
	// lexicon knows the nouns that people use for files.
	lexicon *retrieve.Lexicon
}

// find returns the values in the request that the plan passes to no tool: quantities, formats,
// colours and quoted text. It does not rely on the planner, which may silently drop "32 kbps".
func (o leftovers) find(wish string, p *plan.Plan) []plan.Unhandled {
	told := o.told(p)
	if len(told) == 0 {
		return nil
	}
	all := strings.ToLower(strings.Join(told, "\n"))
	numbers := quantity.Numbers(strings.Join(told, "\n"))
	known := p.LeftBy(p.Best())
	var left []plan.Unhandled
	add := func(said string) {
		if !slices.ContainsFunc(known, func(l plan.Unhandled) bool { return strings.Contains(l.Part, said) }) {
			left = append(left, plan.Unhandled{Part: said, Unknown: []string{said}})
		}
	}
	bare := blank(wish, p)
	for _, q := range quantity.Find(bare) {
		said := wish[q.Start:q.End]
		switch {
		case q.Unit == quantity.Number || quantity.Says(numbers, said) || o.describes(wish[q.End:]):
		case saysPrint(numbers, bare, q):
		case unwanted.MatchString(bare[:q.Start]) || takenBack.MatchString(bare[q.End:]) || already(p, q.Unit, said):
		default:
			add(said)
		}
	}
	for _, quoted := range quotation.FindAllString(bare, -1) {
		said := strings.TrimFunc(quoted, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })
		if said != "" && !strings.Contains(all, strings.ToLower(said)) {
			add(said)
		}
	}
	if !changes(p) {
		return left
	}
	bare = aside.ReplaceAllStringFunc(bare, func(s string) string { return strings.Repeat(" ", len(s)) })
	states := strings.Join(state.FindAllString(bare, -1), " ")
	for _, at := range oneWord.FindAllStringIndex(bare, -1) {
		word := bare[at[0]:at[1]]
		lower := strings.ToLower(word)
		colour := isColour(bare, at[0], at[1]) && !strings.Contains(states, word) && !named(p, lower)
		format := retrieve.IsFormat(lower) && !given(p, lower)
		refused := unwanted.MatchString(bare[:at[0]]) || takenBack.MatchString(bare[at[1]:])
		if (colour || format) && !refused && !strings.Contains(all, lower) && !o.means(told, lower) {
			add(word)
		}
	}
	return left
}

// saysPrint reports whether a quantity is part of the size of a print that the plan gives in pixels: "10x15 cm".
func saysPrint(numbers map[float64]bool, text string, q quantity.Quantity) bool {
	start, end, size := quantity.Print(text)
	return q.Start >= start && q.End <= end && quantity.Says(numbers, fmt.Sprintf("%dx%d", size.Width, size.Height))
}

// commonColours are colours wherever they stand. Other names of colours, such as "snow" and "salmon", are also things.
var commonColours = strings.Fields("beige black blue brown cyan gold gray green grey magenta maroon navy orange pink purple " +
	"red silver teal turquoise violet white yellow")

// besideColour matches a name of a colour between the words around it: "dark salmon", "salmon coloured".
var besideColour = lazyregexp.New(`(?i)(?:\b(?:colou?r(?:ed)?(?: (?:it|them|this|that))?|dark|light|pale|bright|deep) \x00)|(?:\x00[- ]colou?r)`)

// isColour reports whether the word between two positions of a text is a colour.
func isColour(text string, from, to int) bool {
	word := strings.ToLower(text[from:to])
	if slices.Contains(commonColours, word) {
		return true
	}
	_, known := colornames.Map[word]
	return known && besideColour.MatchString(text[:from]+"\x00"+text[to:])
}

// named reports whether a resource is named by the word: "snow" of snow.jpg.
func named(p *plan.Plan, word string) bool {
	return slices.ContainsFunc(p.Resources, func(r plan.Resource) bool {
		return strings.EqualFold(strings.TrimSuffix(r.File, path.Ext(r.File)), word)
	})
}

// means reports whether some text has a word of the same meaning: "gray" is "grey".
func (o leftovers) means(texts []string, word string) bool {
	class := o.lexicon.Class(retrieve.Stem(word))
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(o.lexicon.Words(text, nil), func(w retrieve.Word) bool { return o.lexicon.Class(w.Stem) == class })
	})
}

// state matches words that say how something is, and not how it should be: "everything looks yellow".
var state = lazyregexp.New(`(?i)\b(?:looks?|seems?|appears?|is|are|was|were|too|so) (?:(?:a bit|a little|all|too|so|very|really|quite) )?\pL+`)

// aside matches words in brackets, which usually identify something: "the colleague in the middle (yellow top)".
var aside = lazyregexp.New(`\([^()]*\)`)

// unwanted matches the words before something that the request rejects: "instead of black bars", "nobody will watch 20 s".
var unwanted = lazyregexp.New(`(?i)\b(?:(?:instead of|rather than|in place of|not|no|without)(?: (?:the|an?|any|in|at|with))?|` +
	`(?:nobody|no one) (?:will|would|is going to|wants to) \pL+(?: \pL+){0,2}) $`)

// takenBack matches a correction that follows a value: "2 seconds ... no wait, 1 is enough".
var takenBack = lazyregexp.New(`(?i)^(?:[^\pL\pN"]+\pL+){0,3}?[^\pL\pN"]+(?:` +
	`(?:(?:ehm?|uhm?|hm+|ah|oh|oops)\W+)?no,? (?:wait|sorry|hold on)|wait,? no|sorry,? (?:no|i meant?)|` +
	`scratch that|strike that|(?:no,? )?i meant?|hm+\W+no|oops)\b`)

var oneWord = lazyregexp.New(`[\pL\pN]+`)

// quotation matches text in quotation marks.
var quotation = lazyregexp.New(`"[^"\n]{1,200}"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|「[^」\n]{1,200}」|『[^』\n]{1,200}』`)

// changes reports whether the plan makes media. A text answer has no colour or format.
func changes(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return t.Subtask.Returns.Media() })
}

// given reports whether a resource has the format: "this mp4".
func given(p *plan.Plan, format string) bool {
	return slices.ContainsFunc(p.Resources, func(r plan.Resource) bool {
		return strings.HasSuffix(strings.ToLower(r.File), "."+format) || strings.HasSuffix(strings.ToLower(r.Name), "."+format)
	})
}

// already reports whether a given file has a quantity, and everything made is of its type: "720p is
// fine", of a video with 1280 × 720 pixels.
func already(p *plan.Plan, unit quantity.Unit, said string) bool {
	if unit != quantity.Pixels && unit != quantity.FrameRate {
		return false
	}
	return slices.ContainsFunc(p.Resources, func(r plan.Resource) bool {
		has := slices.ContainsFunc(quantity.Find(r.Facts), func(q quantity.Quantity) bool {
			return q.Unit == unit && quantity.Says(quantity.Numbers(r.Facts[q.Start:q.End]), said)
		})
		return has && slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return t.Subtask.Returns == r.Type })
	})
}

// limits reports whether the part contains a size limit in bytes. The bot asks about these, since a
// file over the limit may be useless.
func limits(l plan.Unhandled) bool {
	return slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// told returns the texts that the best solutions pass to their tools, and the descriptions of those
// tools. It is empty if part of the request has no solution; the answer mentions that anyway.
func (o leftovers) told(p *plan.Plan) []string {
	var all []string
	for _, task := range p.Tasks {
		if len(task.Solutions) == 0 {
			return nil
		}
		for _, said := range task.Subtask.Said { // parts that no tool takes are reported already
			all = append(all, said.Words)
		}
		for _, action := range task.Solutions[0].Actions {
			if t, ok := o.catalogue.Tool(action.Tool); ok {
				all = append(all, t.Description, strings.ReplaceAll(t.Name, "_", " "))
			}
			for _, b := range action.Args {
				if b.Source.Kind == plan.OfValue || b.Source.Kind == plan.OfText {
					all = append(all, b.Source.Value, b.Setting)
				}
			}
		}
	}
	return all
}

// blank returns the request with file names replaced by spaces.
func blank(wish string, p *plan.Plan) string {
	for _, r := range p.Resources {
		for _, name := range []string{r.File, r.Name} {
			if name != "" {
				wish = strings.ReplaceAll(wish, name, strings.Repeat(" ", len(name)))
			}
		}
	}
	return wish
}

// describes reports whether the words after a quantity show that it only identifies a file: "the 10
// second clip".
func (o leftovers) describes(rest string) bool {
	words := o.lexicon.Words(strings.TrimLeft(rest, " -"), nil)
	if len(words) == 0 || words[0].Kind != retrieve.Plain {
		return false
	}
	return o.lexicon.MediaNoun(words[:1]) != "" || o.lexicon.Class(words[0].Stem) == o.lexicon.Class("music")
}
