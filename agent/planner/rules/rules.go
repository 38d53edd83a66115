// Package rules is the planner that needs no language model and no key. It splits a
// request into clauses and matches each against the catalogue: the tools' examples, which
// are its templates, their names and descriptions, one list of synonyms, and closed lists
// of English words.
//
// A request is read in one direction, and each stage is a type of its own. A type knows those
// that it embeds, and nothing of those that come after it:
//
//	english, grammar   words, whatever is in the catalogue
//	tools              what the catalogue holds, and which words ask for it
//	splitter           text → clauses
//	scene, reading     what can be spoken of, and what one clause names and points at
//	settings           what a clause says that its tool is told
//	matcher, marker    the tool that a clause asks for, and whether it means what is marked
//	binder             the resources that its tool is applied to
//	drafter, cover     its subtask, and the words that nothing accounts for
//	thread             clause after clause → subtasks or a question
//
// Guarantees:
//   - It knows the catalogue that it is given and general English, nothing else: a tool
//     that is added is understood by its file alone.
//   - It acts on full cover only: each word of a clause asks for its tool, is a value that
//     a tool is told, speaks of a resource, or stands on a closed list of words that ask for
//     nothing. Otherwise the clause is left and named, or a question is asked.
//   - The same request gives the same answer. Nothing is random, nothing is kept between
//     requests, and nothing leaves the process.
//   - It understands English and says so otherwise.
//   - It is safe for concurrent use.
package rules

import (
	"context"
	"errors"
	"fmt"

	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Config says what the planner knows.
type Config struct {
	// Catalogue holds the tools by which requests are understood. It is required.
	Catalogue *toolbox.Catalogue
	// Tell puts fixed sentences into the language of a request. Nil is English.
	Tell plan.Tell
}

// Planner plans by rules.
type Planner struct {
	*tools
	tell plan.Tell
}

var _ planner.Planner = (*Planner)(nil)

// New compiles the catalogue.
func New(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("rules planner: a catalogue is needed")
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	e, err := readEnglish(englishFile)
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	return &Planner{tools: newTools(newGrammar(e, lexicon), c.Catalogue), tell: c.Tell}, nil
}

// Decompose splits the request into subtasks.
func (p *Planner) Decompose(ctx context.Context, r plan.Request, _ *plan.Thinking) (planner.Decomposition, error) {
	if err := ctx.Err(); err != nil {
		return planner.Decomposition{}, err
	}
	o, guesses := p.withGuesses(r, p.understand(r))
	return planner.Decomposition{
		Subtasks: o.subtasks, Left: o.left, Types: o.types, Refused: o.refused,
		Question: p.tell.In(r.Language, o.question), Guesses: guesses, Reply: p.tell.In(r.Language, o.reply),
	}, nil
}

// learnVerb takes the first word of an order among the examples as a verb.
func (g *grammar) learnVerb(example string) {
	before, _, _ := strings.Cut(example, "{")
	words := g.lexicon.Core(g.lexicon.Words(before, nil))
	if len(words) == 0 || words[0].Kind != retrieve.Plain || g.lexicon.FormOf(words) != retrieve.Order {
		return
	}
	w := lower(words[0])
	if g.lexicon.Stop(w) || g.in("not verbs", w) || g.in("prepositions", w) || len(w) < 3 {
		return
	}
	g.verbs[w] = true
}

// maxRequest is the most bytes of a request that are read.
const maxRequest = 8000

// tidy makes the request valid text of a bounded length.
func (g *grammar) tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxRequest {
		text = strings.ToValidUTF8(text[:maxRequest], "")
	}
	text = blackAndWhite.ReplaceAllString(text, "black and white")
	text = contracted.ReplaceAllString(text, "$1's")
	text = jpegXL.ReplaceAllString(text, "jxl")
	text = chartTitle.ReplaceAllString(text, `$1 "$2"`)
	text = keptPart.ReplaceAllString(text, "$2 everything except $1")
	text = sizedPages.ReplaceAllString(text, "$1, then make them $2")
	text = inZip.ReplaceAllString(text, "$1, then zip them$2")
	text = g.noThing.ReplaceAllString(text, "${1}without $2")
	return strings.TrimSpace(listMark.ReplaceAllString(steps(text), "$1$2; "))
}

// blackAndWhite is how people shorten that: it would be read as three words.
var blackAndWhite = lazyregexp.New(`(?i)\bb ?[/&] ?w\b`)

// contracted are questions that people write without the apostrophe.
var contracted = lazyregexp.New(`(?i)\b(what|where|who|how)s\b`)

// jpegXL is how people call that format: it would be read as JPEG.
var jpegXL = lazyregexp.New(`(?i)\bjpe?g[ -]?xl\b`)

// chartTitle is how people give a chart its title without quotation marks.
var chartTitle = lazyregexp.New(`((?i:\b(?:chart|graph|plot|diagram)\b.*?\b(?:titled|entitled|(?:title|heading|headline)(?: is| should be)?(?: ?: ?)?)))\s+` +
	`([A-Z][^"“”,.;:\n]+?)(?: please)?\s*$`)

// sizedPages is how people say how large the pictures of pages are to be: "each page as a picture, half size".
var sizedPages = lazyregexp.New(`(?i)(\bpages?\b[^,.;]*\b(?:pictures?|images?|pngs?|jpe?gs?)),? (?:at |in |and )?` +
	`((?:half|a quarter|quarter|\d+ ?%)(?: of)?(?: the| its| their)?(?: original)? (?:size|resolution)|half as (?:large|big)|` +
	`\d+ ?(?:px|pixels) (?:wide|high|tall))[.!]?$`)

// inZip is how people want what they list packed at the end: "100 and 200 px wide as webp in a zip".
var inZip = lazyregexp.New(`(?i)(\b(?:as (?:an? )?[a-z0-9]+|px|pixels?|wide|high|versions|sizes|formats)),? ` +
	`(?:all )?(?:in|inside|as) (?:a|one) (?:single )?zip(?: ?file| archive)?( please)?[.!]?$`)

// keptPart is how people name the part that stays before what is done to the rest: "keep the faces sharp and blur
// the rest" is "blur everything except the faces".
var keptPart = lazyregexp.New(`(?i)\b(?:only )?(?:keep|leave) (?:only )?((?:the|all|every|our|my|his|her|their) [^,.;:]{1,60}?)` +
	`(?: (?:sharp|clear|visible|readable|untouched|alone|in focus|(?:just )?as (?:it is|they are|is)))?` +
	`(?:,? (?:and|but)|,)(?: then)? (blur(?: out)?|pixelate|black out|censor|obscure|hide|cover(?: up)?) ` +
	`(?:everything else|all else|all the rest|the rest|(?:its|their|the) surroundings)(?: of (?:it|the (?:picture|image|photo|screenshot|video)))?\b`)

// steps writes a numbered list as steps that go on from one another: "1. rotate it 2. blur it" is
// "; rotate it; then blur it". A step that asks for a version of its own does not go on.
func steps(text string) string {
	var b strings.Builder
	next, from := 1, 0
	for _, m := range numberMark.FindAllStringSubmatchIndex(text, -1) {
		if text[m[2]:m[3]] != strconv.Itoa(next) {
			continue
		}
		b.WriteString(text[from:m[0]])
		from = m[1]
		b.WriteString("; ")
		if line, _, _ := strings.Cut(text[from:], "\n"); next > 1 && !ownVersion.MatchString(line) {
			b.WriteString("then ")
		}
		next++
	}
	if next <= 2 { // a number that is no list
		return text
	}
	return b.String() + text[from:]
}

// numberMark is what may begin a step of a numbered list: "2. ", "3) ".
var numberMark = lazyregexp.New(`(?:^|\s)(\d)[.):]\s+`)

// ownVersion speaks of a result of its own.
var ownVersion = lazyregexp.New(`(?i)\b(?:versions?|copy|copies|variants?)\b`)

// listMark is what begins a point of a list: "- rotate it", "2. rotate it", "3) rotate it".
var listMark = lazyregexp.New(`((?:^|\n)\s*)(?:[-*•]|\d[.):])\s+|((?:^|[.!?:;,])\s*)\d[.):]\s+|\s\d\)\s+`)
