package rules

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
)

// outcome is a decomposition before translation.
type outcome struct {
	subtasks        []plan.Subtask
	question, reply plan.Message
	brings          []string // the results that come with a reply
	guesses         []guess  // guesses at the meaning, with a question
	refused         bool
	samples         bool // show the person examples to try
	types           map[string]plan.Type
	left            []plan.Unhandled
}

func asking(m plan.Message) *outcome   { return &outcome{question: m} }
func refusing(m plan.Message) *outcome { return &outcome{reply: m, refused: true} }

func (p *Planner) understand(r plan.Request) outcome {
	r.Wish = p.quotePasted(r.Wish)
	o := p.outcomeOf(r, p.tidier.Tidy(r.Wish))
	unquotePasted(&o)
	return o
}

// outcomeOf returns the outcome of a request with tidied text.
func (p *Planner) outcomeOf(r plan.Request, text string) outcome {
	if r.Question != nil {
		return p.answered(r, text)
	}
	if o := p.talk(r, text); o != nil {
		return *o
	}
	if o, ok := p.drawnAgain(r, text); ok {
		return o
	}
	o := p.decompose(r, text)
	if o.understood() {
		return o
	}
	plain := clause.WithoutRemarks(p.Tools, text, scene.New(p.Tools, r, text).Words)
	if again := p.decompose(r, plain); plain != "" && plain != text && again.understood() {
		return again
	}
	if len(o.left) > 0 && len(o.subtasks) > 0 {
		return o
	}
	if again, ok := p.withoutStray(r, text); ok {
		return again
	}
	return o
}

// understood reports whether everything was understood, and nothing is passed on in people's words.
func (o *outcome) understood() bool { return o.whole() && !o.passesWordsOn() }

// withoutStray returns the outcome of a request without one part that orders nothing and that no tool understands: "mail bounces
// this one, so could I have an mp4". The answer says that the part was left out.
func (p *Planner) withoutStray(r plan.Request, text string) (outcome, bool) {
	s := scene.New(p.Tools, r, text)
	parts, rests := clause.Parts(p.Tools, text, s.Words)
	if len(parts) < 2 || len(parts) > mostParts {
		return outcome{}, false
	}
	j := newThread(s).judge
	for i, part := range parts {
		if rests[i] == "" || !j.isStray(part) {
			continue
		}
		if o := p.decompose(r, rests[i]); o.understood() {
			said := s.Span(part)
			o.left = append(o.left, plan.Unhandled{Part: said, Unknown: []string{said}})
			return o, true
		}
	}
	return outcome{}, false
}

// mostParts is the maximum number of parts of a request that is read without each of them in turn.
const mostParts = 6

// whole reports whether everything in the request was understood.
func (o *outcome) whole() bool { return len(o.subtasks) > 0 && len(o.left) == 0 && o.question.IsZero() }

// passesWordsOn reports whether a subtask passes people's words on to a model as they are.
func (o *outcome) passesWordsOn() bool {
	return slices.ContainsFunc(o.subtasks, func(sub plan.Subtask) bool {
		return slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Meaning == plan.Query || a.Meaning == plan.Instruction })
	})
}

// drawnAgain returns the outcome of a request to make the last generated result anew, with or without another setting: "the same
// with seed 7", "draw it again in 16:9", "another one without trees". It reports false for other requests.
func (p *Planner) drawnAgain(r plan.Request, text string) (outcome, bool) {
	m := anew.FindStringSubmatch(text)
	if m == nil || len(r.Given) > 0 {
		return outcome{}, false
	}
	setting, wish := m[1]+m[2], ""
	for _, t := range slices.Backward(r.Turns) {
		if said := p.tidier.Tidy(t.Wish); len(t.Made) > 0 && !anew.MatchString(said) {
			wish = said
			break
		}
	}
	if wish == "" {
		return outcome{}, false
	}
	if strings.Contains(setting, "seed") {
		wish = seeds.ReplaceAllString(wish, "")
	} else if shape.MatchString(setting) {
		wish = shape.ReplaceAllString(wish, "")
	}
	if setting != "" {
		wish = strings.TrimRight(wish, " .!?") + ", " + strings.TrimPrefix(setting, "in ")
	}
	o := p.decompose(plan.Request{Wish: wish, Language: r.Language}, wish)
	if !o.whole() || len(o.subtasks) != 1 {
		return outcome{}, false
	}
	made := p.Tool(o.subtasks[0].Tool)
	if !made.Returns.Media() || slices.ContainsFunc(made.Args, func(a toolbox.Arg) bool { return !a.Optional && a.Type.Media() }) {
		return outcome{}, false
	}
	return o, true
}

var (
	anew = lazyregexp.New(`(?i)^(?:please )?(?:` +
		`(?:(?:draw|make|do|try|generate|paint) (?:it|this|that) (?:again|anew|once more)|` +
		`(?:(?:the |do the |draw the )?same|another)(?: again| one| picture| version)?|again|once more)` +
		`,? ?(?:but )?(with seed \d+|seed \d+|without [\pL ]{2,40}|(?:in )?\d+:\d+|(?:in )?\d{3,4} ?x ?\d{3,4})?|` +
		`(with seed \d+|without [\pL ]{2,40}))(?: please)?[.!?]*$`)
	seeds = lazyregexp.New(`(?i),? (?:with )?(?:the )?seed \d+`)
	shape = lazyregexp.New(`(?i)(?:,| in) ?\d+:\d+\b|,? (?:in )?\d{3,4} ?x ?\d{3,4}\b`)
)

// decompose reads the clauses of a request in the order in which they can be done. If that fails, it treats the pages of
// documents as pictures: "make a collage of photo.heic and scan.pdf".
func (p *Planner) decompose(r plan.Request, text string) outcome {
	text = mixed(r, p.sized(r, p.quoted(r, whichFiles(r, text))))
	o := p.readScene(scene.New(p.Tools, r, text))
	if len(o.subtasks) > 0 && len(o.left) == 0 {
		return o
	}
	s := scene.New(p.Tools, r, text)
	if !s.SeePages() {
		return o
	}
	alone := !slices.ContainsFunc(r.Given, func(o plan.Resource) bool { return o.Type != plan.Document })
	combines := func(sub plan.Subtask) bool { // pictures of pages are no way to merge documents
		f := p.Tool(sub.Tool)
		return f.Combines() && (f.Returns != plan.Document || !alone)
	}
	seen := p.readScene(s)
	if len(seen.left) == 0 && !seen.passesWordsOn() && takesEach(seen.subtasks, r.Given) && slices.ContainsFunc(seen.subtasks, combines) {
		return seen
	}
	return o
}

// takesEach reports whether subtasks take all of the files.
func takesEach(subs []plan.Subtask, files []plan.Resource) bool {
	used := profile.Set{}
	for _, sub := range subs {
		for _, a := range sub.Args {
			used[a.Source.Name] = true
		}
	}
	return len(subs) > 0 && !slices.ContainsFunc(files, func(r plan.Resource) bool { return r.On == "" && !used[r.Name] })
}

// readScene reads the clauses of a scene.
func (p *Planner) readScene(s *scene.Scene) outcome {
	t := newThread(s)
	clauses := clause.Split(p.Tools, s.Text, t.Words)
	if len(clauses) > 1 && t.divider.IsExample(s.Text) {
		clauses = []clause.Clause{{Words: t.Words, Text: s.Text}}
	}
	if len(clauses) > maxClauses {
		return *lost(s.Request)
	}
	return *t.readAll(t.divider.Divide(clauses))
}
