package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"  // for image.DecodeConfig
	"log/slog"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // for image.DecodeConfig

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// composer is the stage compose: it writes the answer to a run.
type composer struct {
	store     *record.Store
	blobs     storage.Blobs
	limits    *limits
	flow      *flow
	inputs    *inputs
	agent     Agent
	metrics   Metrics
	limitsOf  func(t adapters.Thread) adapters.Limits
	markLinks func(ctx context.Context, t adapters.Thread, picture plan.Resource) (string, error)
	say       sayer
	log       *slog.Logger
}

// run writes the answer to a run, once, and enqueues sending it.
func (c *composer) run(ctx context.Context, w queue.Task) error {
	r, err := c.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	run := r.Run(w.Run)
	if run == nil || run.Over {
		return nil
	}
	if run.Answer == nil {
		g := r.Generations[run.Generation]
		if !run.Answerable(g.Plan) && (!r.Asked.Options.PlanOnly || run.N > 1) {
			return nil
		}
		a, err := c.answer(ctx, r, run)
		if err != nil {
			return err
		}
		if err := c.record(ctx, r, run.N, a); err != nil {
			return err
		}
	}
	return c.flow.pass(ctx, r.ID, queue.SendOf(r.ID, w.Run, r.Asked.Event.Thread.Adapter))
}

// answer writes the answer to a run.
func (c *composer) answer(ctx context.Context, r *record.Request, run *record.Run) (*record.Answer, error) {
	e := r.Asked.Event
	a := &record.Answer{Status: record.Failed, Reply: adapters.Reply{Thread: e.Thread, Mention: r.AskerOf(run), Language: r.Language()}}
	if r.Given != nil {
		a.Resources = r.Given.Resources
	}
	a.Reply.AnswerTo = r.Ref()
	if e.Command != nil {
		a.Reply.Command = e.ID
	}
	// A refused press of a button cannot be asked for again.
	pressed := r.Asked.Refused != "" && r.Asked.Press == nil && (e.Message == nil || stops(e.Message))
	shows := len(r.Asked.Shows) > 0
	// A notice with a file can be deleted, but not run again.
	a.Reply.Answer, a.Reply.Talk = e.Command == nil && (r.Asked.Told == "" || shows) && !pressed, shows
	p := r.Generations[run.Generation].Plan
	switch {
	case p != nil:
		a.Thinking = p.Thinking
	case run.Halted != nil:
		a.Thinking = run.Halted.Thinking
	}
	var files map[string]string
	if run.Route != nil {
		var err error
		if files, err = c.store.NameFiles(ctx, r, run); err != nil {
			return nil, err
		}
		run.Route.NameFiles(files)
	}
	if run.Halted != nil {
		c.answerHalted(ctx, a, r, run)
		return a, nil
	}
	return a, c.answerFinished(ctx, a, r, run, files)
}

// answerHalted completes the answer to a run that was stopped. The results until then are attached if they
// can be read.
func (c *composer) answerHalted(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) {
	h := run.Halted
	switch h.Why {
	case record.HaltDeleted, record.HaltReplaced:
		a.Status, a.Silent = record.Cancelled, true
		return
	case record.HaltCancelled:
		a.Status, a.Reply.Text = record.Cancelled, adapters.Escape(c.say(r, h.Sentence(a.Reply.Mention)))
		return
	case record.HaltTold:
		a.Status, a.Reply.Text = record.Done, adapters.Escape(h.Problem)
	case record.HaltOverdue:
		a.Reply.Text = c.say(r, plan.Say("It took too long, so I stopped. Here is what was done by then."))
	default:
		a.Reply.Text = h.Problem
		if h.Problem == "" {
			a.Reply.Text = c.say(r, record.FaultOf(record.ErrVersion))
		}
	}
	files, err := c.attach(ctx, r, r.Asked.Shows, nil)
	a.Remember(r.Asked.Shows) // the last that the thread showed
	if run.Route != nil {
		a.Remember(run.Route.Made())
		files, err = c.attachments(ctx, a, r, run)
	}
	if err != nil {
		c.log.WarnContext(ctx, "the answer to a stopped run lacks its files", "request", r.ID, "error", plan.ForOperator(err))
	}
	a.Reply.Files = files
}

// answerFinished completes the answer to a run that has no steps left. Files maps names to readable ones.
func (c *composer) answerFinished(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run, files map[string]string) error {
	if err := c.text(ctx, a, r, run.N, files); err != nil || a.Silent {
		return err
	}
	p := r.Generations[run.Generation].Plan
	c.offer(a, r, run, p)
	c.offerSamples(a, r, p)
	c.tellReplaced(a, r, run)
	if run.Route == nil {
		return nil
	}
	a.Remember(run.Route.Made())
	attached, err := c.attachments(ctx, a, r, run)
	if err != nil {
		return err // the answer is written again
	}
	a.Reply.Files = append(a.Reply.Files, attached...)
	c.goOn(ctx, a, r, run)
	if !a.Reply.Picks { // its choices are the seeds
		a.Reply.Small = c.seeds(r, run.Route)
	}
	c.speak(ctx, a, r, run)
	return nil
}

// seeds lists the seeds of the results, with which people can make the same again. It is empty if no result has one.
func (c *composer) seeds(r *record.Request, route *plan.Route) string {
	var all []plan.Message
	for _, m := range route.Ends() {
		if m.Seed > 0 && m.Seed <= math.MaxInt32 { // larger ones are the program's own
			all = append(all, plan.Say("seed %s", strconv.FormatInt(m.Seed, 10)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return c.say(r, plan.Join("%s, %s", all...))
}

// tellReplaced prefixes the first answer to an edited message with the reason for it.
func (c *composer) tellReplaced(a *record.Answer, r *record.Request, run *record.Run) {
	if r.Asked.Replaces == nil || run.N > 1 {
		return
	}
	said := plan.Say("You edited your message, so I started again.")
	if r.Asked.Replaces.Answered {
		said = plan.Say("You edited your message. This answer replaces my earlier one.")
	}
	for _, text := range []*string{&a.Reply.Text, &a.Reply.Whole} {
		if *text != "" || text == &a.Reply.Text {
			*text = strings.TrimSpace(c.say(r, said) + "\n\n" + *text)
		}
	}
}

// text has the agent write the text of the answer, and sets the status. Files maps names to readable ones.
func (c *composer) text(ctx context.Context, a *record.Answer, r *record.Request, n int, files map[string]string) error {
	r, err := c.store.Unpacked(ctx, r)
	if err != nil {
		return err
	}
	run := r.Run(n)
	asked, err := c.inputs.of(ctx, r, r.Generations[run.Generation])
	if err != nil {
		return err
	}
	p := r.Generations[run.Generation].Plan
	whole := len(p.Tasks) > 0 && !slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
	planOnly := r.Asked.Options.PlanOnly && run.N == 1
	if planOnly && whole {
		a.Status, a.Silent = record.Done, true
		return nil
	}
	route := run.Route
	if planOnly {
		route = nil
	}
	if route != nil {
		route.NameFiles(files)
	}
	asks := run.Asks(p) && !planOnly
	thinking := p.Thinking
	text := c.variations(r, route)
	switch {
	case asks:
		text = c.say(r, plan.Say("I am not sure what you want, so I have not done anything yet. Choose one of these, or rephrase your request."))
	case text == "":
		if text, thinking, err = c.agent.Respond(ctx, Account{Request: asked, Plan: p, Route: route}); err != nil {
			return err
		}
	}
	c.metrics.Thinking(since(p.Thinking, thinking))
	a.Thinking, a.Reply.Text = thinking, text
	if r.Given != nil { // commands have no inputs
		a.Reply.Text = strings.Join(append([]string{c.tried(r) + c.quoted(r, r.Generations[run.Generation], text)}, r.Given.Without...), "\n\n")
	}
	a.Reply.Text = c.verbatim(r, route, a.Reply.Text)
	if short := c.shortened(r, route, a.Reply.Text); short != a.Reply.Text {
		a.Reply.Text, a.Reply.Whole = short, a.Reply.Text
	}
	switch {
	case asks:
		a.Status = record.Asking
	case p.Question != "":
		a.Status, a.Question = record.Asking, p.Question
	case route != nil && route.Partly():
		a.Status = record.Partial
	case p.Reply != "" && !p.Refused, route != nil && route.Done():
		a.Status = record.Done
	}
	if r.Given != nil && len(r.Given.Closed) > 0 && (a.Status == record.Failed || a.Question != "") {
		closed := c.say(r, plan.Say("I do not open links to %s. Please attach the file here instead.", strings.Join(r.Given.Closed, ", ")))
		if route == nil && len(p.Guesses) == 0 { // the plan took the link for words, and so does its text
			a.Reply.Text = closed
		} else {
			a.Reply.Text += "\n\n" + closed
		}
	}
	if (!planOnly || a.Question != "") && r.Asked.Event.Command == nil { // a command's reply is not part of the conversation
		a.Turn = &plan.Turn{Wish: asked.Wish, Reply: plan.Question{Text: text, Guesses: p.Guesses}.Listed()}
	}
	return c.bring(ctx, a, r, asked, p)
}

// begins is how many characters of a long text are quoted in the message.
const begins = 600

// shortened truncates the long texts in an answer that are attached as files, on platforms that want that.
func (c *composer) shortened(r *record.Request, route *plan.Route, text string) string {
	most := c.limitsOf(r.Asked.Event.Thread).Text
	if most == 0 || route == nil {
		return text
	}
	for _, m := range route.Delivered(text) {
		value := strings.TrimSpace(m.Value)
		if m.Type.Media() || m.File == "" || utf8.RuneCountInString(value) <= most {
			continue
		}
		if begun := adapters.Split(value, begins, nil); len(begun) > 1 {
			rest := c.say(r, plan.Say("The whole text is in %s.", m.File))
			text = strings.Replace(text, value, begun[0]+" …\n\n"+adapters.Escape(rest), 1)
		}
	}
	return text
}

// widest is how many characters of a line are shown without wrapping it. A longer line is a paragraph.
const widest = 100

// verbatim shows the texts in an answer that are attached as files as they are, on platforms that want that.
// Markdown files are shown as Markdown.
func (c *composer) verbatim(r *record.Request, route *plan.Route, text string) string {
	if route == nil || !c.limitsOf(r.Asked.Event.Thread).Verbatim {
		return text
	}
	for _, m := range route.Delivered(text) {
		value := strings.TrimSpace(m.Value) // the text may begin with it
		longest := widest
		switch path.Ext(m.File) {
		case "", ".md":
			continue
		case ".csv", ".tsv", ".json":
			longest = math.MaxInt
		}
		before, after, found := strings.Cut(text, value)
		if !found || m.Type.Media() || !strings.Contains(value, "\n") {
			continue
		}
		before, after = strings.TrimRight(before, " \n"), strings.TrimLeft(after, " \n")
		text = strings.Trim(before+"\n"+adapters.Verbatim(m.Value, longest)+"\n"+after, "\n")
	}
	return text
}

// since is the model usage after planning.
func since(before, all plan.Thinking) plan.Thinking {
	all.Jobs = all.Jobs[min(len(before.Jobs), len(all.Jobs)):]
	return all
}

// quoted prefixes the answer with the transcript of the voice message.
func (c *composer) quoted(r *record.Request, g *record.Generation, text string) string {
	if g.Transcript == nil || g.Transcript.Text == "" {
		return text
	}
	said := plan.Say("I heard: “%s”", g.Transcript.Text)
	if g.Transcript.Approximate {
		said = plan.Say("I heard this, but I may be wrong: “%s”", g.Transcript.Text)
	}
	return strings.TrimSpace(c.say(r, said) + "\n\n" + text)
}

// tried is the prefix that names the example that was tried; "" for other requests.
func (c *composer) tried(r *record.Request) string {
	press := r.Asked.Press
	if !press.Tries() {
		return ""
	}
	label := adapters.Escape(c.say(r, plan.Sample{Wish: press.Wish}.Label()))
	if press.Sample != "" {
		return c.say(r, plan.Say("You tried “%s” with a sample file.", label)) + "\n\n"
	}
	return c.say(r, plan.Say("You tried “%s”.", label)) + "\n\n"
}

// offerSamples adds example requests to try.
func (c *composer) offerSamples(a *record.Answer, r *record.Request, p *plan.Plan) {
	if len(p.Samples) == 0 {
		return
	}
	a.Reply.Text = strings.TrimSpace(a.Reply.Text + "\n\n" + c.say(r, plan.Say("You can try:")))
	for _, s := range p.Samples {
		a.Reply.Examples = append(a.Reply.Examples, adapters.Example{Key: s.Key, Text: s.Wish, Label: c.say(r, s.Label()), Needs: string(s.Needs)})
	}
}

// offer adds the alternatives to an answer, including the best solution if nothing was run, and the
// guesses to a question.
func (c *composer) offer(a *record.Answer, r *record.Request, run *record.Run, p *plan.Plan) {
	var chosen plan.Choice
	if run.Route != nil {
		chosen = run.Route.Choice()
	}
	a.Offers = p.Offers(chosen, adapters.MaxChoices+1)
	if p.Question == "" && !run.Asks(p) {
		a.Offers = a.Offers[1:] // the first one was run
	}
	a.Offers = a.Offers[:min(len(a.Offers), adapters.MaxChoices)]
	a.Reply.Asks = len(a.Offers) > 0 && (p.Question != "" || run.Asks(p))
	var texts []plan.Message
	if p.Question != "" {
		for _, o := range a.Offers {
			texts = append(texts, plan.Quote(o.Guess))
		}
	} else {
		texts = c.agent.Ways(p, chosen, a.Offers)
	}
	for i, text := range texts {
		a.Reply.Choices = append(a.Reply.Choices, adapters.Choice{
			ID: r.ID + "-" + strconv.Itoa(run.N) + "-" + strconv.Itoa(i+1), Text: withoutFile(c.say(r, text), p.Resources),
		})
	}
}

// withoutFile drops the name of the only given file from the text of an alternative, since it is the same in all:
// "in black and white".
func withoutFile(text string, given []plan.Resource) string {
	name := ""
	for _, r := range given {
		switch {
		case r.File == "":
		case name != "" && r.File != name:
			return text
		default:
			name = r.File
		}
	}
	rest, ok := strings.CutPrefix(text, name)
	short := strings.TrimLeft(rest, " ,，、")
	if !ok || name == "" || short == rest || short == "" {
		return text
	}
	return short
}

// record records an answer. If it is too large for the log, a short one is recorded instead, so that people
// always get an answer.
func (c *composer) record(ctx context.Context, r *record.Request, run int, a *record.Answer) error {
	_, err := c.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Run: run, Answer: a})
	if errors.Is(err, storage.ErrTooLarge) {
		plain := record.Answer{Status: record.Failed, Reply: adapters.Reply{
			Thread: a.Reply.Thread, AnswerTo: a.Reply.AnswerTo, Command: a.Reply.Command, Mention: a.Reply.Mention,
			Language: a.Reply.Language,
			Text:     c.say(r, plan.Say("The answer is too long to store. Please ask for less at once.")),
		}}
		_, err = c.store.Logs.Append(ctx, record.RequestLog(r.ID), record.Entry{Run: run, Answer: &plain})
	}
	if err != nil {
		return err
	}
	c.flow.written(ctx, r)
	return c.limits.release(ctx, r, r.Run(run)) // the person may start the next run as soon as the answer arrives
}

// goOn adds the signs for continuing from an answer. An answer with variations shows only their grid, and offers a
// choice between them.
func (c *composer) goOn(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) {
	if press := r.Asked.Press; press != nil && press.How == plan.Vary {
		c.offerVariations(a, r, run)
	}
	if len(a.Reply.Files) == 0 || len(run.Route.Ends()) == 0 {
		return
	}
	grid := a.Reply.Picks && len(a.Offers) > 1 // of which one is chosen first
	if !grid {
		a.Reply.GoOn = []adapters.Sign{adapters.Use}
	}
	agent, ok := c.agent.(Reworker)
	if !ok {
		return
	}
	hows, err := agent.Reworks(ctx, run.Route)
	if err != nil { // the signs are optional
		c.log.WarnContext(ctx, "an answer lacks signs", "request", r.ID, "error", plan.ForOperator(err))
	}
	for _, how := range hows {
		small := func(f adapters.Attachment) bool { return f.Size < leastSmaller }
		if (how == plan.Vary || !grid) && (how != plan.Smaller || !slices.ContainsFunc(a.Reply.Files, small)) {
			a.Reply.GoOn = append(a.Reply.GoOn, adapters.Sign(how))
		}
	}
}

// variations describes a grid of variations, and which are missing; "" if the request made none.
func (c *composer) variations(r *record.Request, route *plan.Route) string {
	if press := r.Asked.Press; press == nil || press.How != plan.Vary || route == nil || !route.Done() {
		return ""
	}
	made := route.Results()[0]
	text := c.say(r, plan.Say("Here is one variation."))
	if n := len(made.Outputs()); n != 1 {
		text = c.say(r, plan.Say("Here are %d variations.", n))
	}
	return strings.TrimSpace(text + "\n" + adapters.Escape(made.Note))
}

// offerVariations offers the pictures of a grid by number.
func (c *composer) offerVariations(a *record.Answer, r *record.Request, run *record.Run) {
	if !run.Route.Done() {
		return
	}
	shown := run.Route.Ends()
	a.Reply.Files = slices.DeleteFunc(a.Reply.Files, func(f adapters.Attachment) bool {
		return !slices.ContainsFunc(shown, func(m plan.Resource) bool { return m.Name == f.Resource })
	})
	a.Reply.Picks = true
	a.Offers, a.Reply.Choices = nil, nil
	for _, m := range run.Route.Made() {
		if m.Seed == 0 || len(a.Offers) == adapters.MaxChoices {
			continue
		}
		a.Offers = append(a.Offers, plan.Offer{Use: m.Name, Task: -1})
		a.Reply.Choices = append(a.Reply.Choices, adapters.Choice{
			ID: r.ID + "-" + strconv.Itoa(run.N) + "-" + strconv.Itoa(len(a.Offers)), Text: c.say(r, plan.Say("seed %s", strconv.FormatInt(m.Seed, 10))),
		})
	}
	if n := len(a.Offers); n > 1 && len(a.Reply.Files) == 1 { // the grid
		a.Reply.Files[0].Alt = c.say(r, plan.Say("%d numbered variations in one picture", n))
	}
}

// attachments returns the files of a run that go with its answer.
func (c *composer) attachments(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) ([]adapters.Attachment, error) {
	return c.attach(ctx, r, run.Route.Delivered(cmp.Or(a.Reply.Whole, a.Reply.Text)), c.alts(run))
}

// bring adds the earlier results that come with a plan's reply to an answer. The next request works on them.
func (c *composer) bring(ctx context.Context, a *record.Answer, r *record.Request, asked plan.Request, p *plan.Plan) (err error) {
	if p.Reply == "" || p.Refused || a.Turn == nil {
		return nil
	}
	back := slices.DeleteFunc(slices.Clone(asked.Earlier), func(m plan.Resource) bool { return !slices.Contains(p.Brings, m.Name) })
	a.Reply.Talk = len(back) == 0 && a.Status == record.Done
	a.Remember(back)
	a.Reply.Files, err = c.attach(ctx, r, back, nil)
	return err
}

// attach returns resources as files of an answer, with their alternative texts by name.
func (c *composer) attach(ctx context.Context, r *record.Request, all []plan.Resource, alts map[string]plan.Message) ([]adapters.Attachment, error) {
	var files []adapters.Attachment
	for _, m := range all {
		if m.Blob == "" || record.Packed(m) && m.File == "" {
			continue
		}
		info, err := c.blobs.Stat(ctx, m.Blob)
		if errors.Is(err, storage.ErrNotFound) {
			continue // it expired: the text still names it
		}
		if err != nil {
			return nil, fmt.Errorf("stat a file: %w", err)
		}
		f := adapters.Attachment{
			Name: cmp.Or(m.File, m.Name), Resource: m.Name, Size: info.Size, Type: storage.ContentOf(m.Blob).Type, Handle: m.Blob,
			MarkLink: c.markLink(ctx, r.Asked.Event.Thread, m),
		}
		f.Alt = c.alt(ctx, r, f, alts[m.Name], m.About)
		files = append(files, f)
	}
	return files, nil
}

// alts describes the files that a run made, by name.
func (c *composer) alts(run *record.Run) map[string]plan.Message {
	alts := map[string]plan.Message{}
	said := c.agent.Alts(Account{Plan: run.Route.Plan(), Route: run.Route})
	for i, result := range run.Route.Results() {
		for _, out := range result.Outputs() {
			alts[out.Name] = said[i]
		}
	}
	return alts
}

// alt is the alternative text of a file: what was done to it, or else its own description, and a picture's size.
func (c *composer) alt(ctx context.Context, r *record.Request, f adapters.Attachment, done plan.Message, about string) string {
	text := about
	if !done.IsZero() {
		text = c.say(r, done)
	}
	if !strings.HasPrefix(f.Type, "image/") {
		return text
	}
	size, ok := c.measure(ctx, f.Handle)
	switch {
	case !ok || strings.Contains(text, fmt.Sprintf("%d × %d", size.X, size.Y)):
		return text
	case text == "":
		text = f.Name
	}
	return c.say(r, plan.Say("%s, %d by %d pixels", text, size.X, size.Y))
}

// measure returns the size of a picture in pixels, if it can be read.
func (c *composer) measure(ctx context.Context, blob string) (size image.Point, ok bool) {
	from, err := c.blobs.Get(ctx, blob)
	if err != nil {
		return size, false // the size is optional
	}
	read, _, err := image.DecodeConfig(from)
	err = errors.Join(err, from.Close())
	return image.Pt(read.Width, read.Height), err == nil
}

// markLink is the address of the page for marking things on a picture; "" if there is none.
func (c *composer) markLink(ctx context.Context, t adapters.Thread, picture plan.Resource) string {
	if c.markLinks == nil || !strings.HasPrefix(storage.ContentOf(picture.Blob).Type, "image/") {
		return ""
	}
	link, err := c.markLinks(ctx, t, picture)
	if err != nil {
		c.log.WarnContext(ctx, "no mark link for a picture", "error", plan.ForOperator(err))
		return ""
	}
	return link
}

// Speaker is an [Agent] that can make voice messages.
type Speaker interface {
	// Voice makes a voice message of a run's speech and stores it in the folder. It returns nil if the run made no speech
	// or this process cannot do it.
	Voice(ctx context.Context, made *plan.Route, folder string) (*adapters.Voice, error)
}

// speak adds a voice message to a spoken answer. Failures are logged only: the answer has its audio file anyway.
func (c *composer) speak(ctx context.Context, a *record.Answer, r *record.Request, run *record.Run) {
	agent, ok := c.agent.(Speaker)
	if !ok || len(a.Reply.Files) != 1 || !c.limitsOf(a.Reply.Thread).Voice {
		return
	}
	folder := path.Join(record.ThreadFolder(record.ThreadID(a.Reply.Thread)), r.ID, fmt.Sprintf("voice-%d", run.N))
	v, err := agent.Voice(ctx, run.Route, folder)
	if err != nil {
		c.log.WarnContext(ctx, "an answer has no voice message", "request", r.ID, "error", plan.ForOperator(err))
		return
	}
	a.Reply.Files[0].Voice = v
}
