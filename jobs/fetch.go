package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/intake"
	"atelier/jobs/queue"
	"atelier/jobs/record"
	"atelier/storage"
)

// fetcher is the stage fetch: it collects the files and texts that a request is about.
type fetcher struct {
	store     *record.Store
	blobs     storage.Blobs
	flow      *flow
	links     *intake.Links
	histories *intake.Histories
	downloads *intake.Downloads
	samples   Samples
	say       sayer
	log       *slog.Logger
}

// run fetches a request's files, and enqueues its planning.
func (x *fetcher) run(ctx context.Context, w queue.Task) error {
	r, err := x.store.Request(ctx, w.Request)
	if err != nil {
		return err
	}
	if r.Given == nil && slices.ContainsFunc(r.Runs, (*record.Run).Active) {
		if r, err = x.take(ctx, r); err != nil {
			return err
		}
	}
	return x.flow.advance(ctx, r)
}

// take records the inputs of a request.
func (x *fetcher) take(ctx context.Context, r *record.Request) (*record.Request, error) {
	e := r.Asked.Event
	t, err := x.store.Thread(ctx, record.ThreadID(e.Thread))
	if err == nil {
		t, err = x.histories.Read(ctx, r, t)
	}
	if err != nil {
		return nil, err
	}
	g := record.Given{Thread: t.Size}
	if r.Asked.Answers != "" && r.Asked.Guess == "" {
		if g.Question, err = x.questionOf(ctx, r.Asked.Answers); err != nil {
			return nil, err
		}
	}
	_, earlier := t.Memory(r)
	if err = x.takeFiles(ctx, r, t, earlier, &g); err != nil {
		return nil, err
	}
	if g.Resources, err = x.store.Texts.Pack(ctx, t.ID, g.Resources); err != nil {
		return nil, err
	}
	after, err := x.store.Write(ctx, r.ID, record.Entry{Given: &g})
	if errors.Is(err, storage.ErrTooLarge) {
		return nil, &plan.Fault{Sentence: plan.Say("That is too much for one message. Please send it in several."), Err: err}
	}
	if errors.Is(err, record.ErrUnknown) { // forgotten meanwhile
		for _, given := range g.Resources {
			if given.Blob != "" {
				err = errors.Join(err, x.blobs.Delete(ctx, given.Blob))
			}
		}
	}
	return after, err
}

// questionOf returns the question that a request asked, nil if there is none.
func (x *fetcher) questionOf(ctx context.Context, id string) (*plan.Question, error) {
	r, err := x.store.Request(ctx, id)
	if err != nil {
		return nil, record.IgnoreUnknown(err)
	}
	for _, run := range slices.Backward(r.Runs) {
		if run.Answer != nil && run.Answer.Question != "" {
			g := r.Generations[run.Generation]
			wish := r.WishOf(g)
			if r.Given != nil && r.Given.Question != nil && !r.Guessed(g) { // the answer was not enough: the earlier question is part of this one
				wish = r.Given.Question.Wish + ", " + wish
			}
			return &plan.Question{Text: run.Answer.Question, Wish: wish, Guesses: run.Answer.Guesses()}, nil
		}
	}
	return nil, nil //nolint:nilnil // no question was asked
}

// pointed is a mark and the adapter that can fetch its mask.
type pointed struct {
	adapters.Mark
	adapter string
}

// takeFiles fetches the files of the message, of the message it replies to and of its links, and the masks of
// marks. If only some can be fetched, people are told which are left out.
func (x *fetcher) takeFiles(ctx context.Context, r *record.Request, t *record.Thread, earlier []plan.Resource, g *record.Given) error {
	var all []plan.Resource
	namer := plan.NewNamer(earlier...)
	room := record.MaxTexts
	names := map[string]string{} // file names by id
	take := func(adapter string, f adapters.File) (intake.Taken, error) {
		took, err := x.downloads.Take(ctx, r, adapter, f, namer, without(slices.Concat(earlier, all), r.Message(), f, names))
		if err == nil && took.Text > room {
			err = &plan.Fault{Sentence: plan.Say("These texts are too long: the limit is %d MB in total.", record.MaxTexts>>20)}
		}
		if err == nil {
			room -= took.Text
		}
		return took, err
	}
	given := func(rs ...plan.Resource) { all = withoutRepeats(append(all, rs...)) }
	carried, err := x.carried(ctx, r, t, earlier)
	if err != nil {
		return err
	}
	given(carried...)
	var unfit []error
	takeAll := func(adapter string, files []adapters.File) (shown []string, err error) {
		for _, f := range files {
			took, err := take(adapter, f)
			unfit = append(unfit, took.Left...)
			switch {
			case err == nil:
				given(took.Files...)
				names[f.ID] = took.Files[len(took.Files)-1].Name
				shown = append(shown, shownNames(took.Files)...)
			case intake.Refused(err):
				unfit = append(unfit, err)
			default:
				return nil, err
			}
		}
		return shown, nil
	}
	if _, err := takeAll(x.sent(r)); err != nil {
		return err
	}
	dead, err := x.takeLinks(ctx, r, g, namer, takeAll, func(text plan.Resource) {
		given(text)
		names[text.Name] = text.Name
	})
	if err != nil {
		return err
	}
	unfit = append(unfit, dead...)
	marked := marked(t, r)
	if len(unfit) > 0 && (len(names) == 0 || len(marked) > 0) { // without these files, the result would not be what was asked for
		return intake.Together(unfit)
	}
	if len(unfit) > 0 {
		x.log.WarnContext(ctx, "a file is left out", "request", r.ID, "error", plan.ForOperator(errors.Join(unfit...)))
		g.Without = []string{x.say(r, plan.Say("Left out: %s", plan.Sentence(intake.Together(unfit), plan.Message{})))}
	}
	for i, m := range marked {
		m.Picture = cmp.Or(m.Picture, names[m.File])
		if at := slices.IndexFunc(earlier, func(o plan.Resource) bool { return o.Name == m.Picture }); at >= 0 {
			given(earlier[at]) // the message is about this file
		}
		picture := m.Picture
		if at := slices.IndexFunc(all, func(o plan.Resource) bool { return o.Name == m.Picture }); at >= 0 {
			picture = cmp.Or(all[at].File, picture)
		}
		marks, err := takeMark(m, fmt.Sprintf("%s %d", r.ID, i), namer, take, x.say(r, plan.Say("marked on %s", picture)))
		if err != nil {
			return err
		}
		all = append(all, marks...)
	}
	g.Resources = all
	return nil
}

// carried returns the earlier resources that a request is about without naming them. It fails if a result that was selected
// for it was deleted.
func (x *fetcher) carried(ctx context.Context, r *record.Request, t *record.Thread, earlier []plan.Resource) (all []plan.Resource, err error) {
	about, err := x.referenced(ctx, r, t)
	if err != nil {
		return nil, err
	}
	for _, c := range about {
		switch i := slices.IndexFunc(earlier, func(o plan.Resource) bool { return o.Name == c.Name }); {
		case i >= 0:
			all = append(all, earlier[i])
		case t.Deleted(c.Name):
			return nil, &plan.Fault{Sentence: deletedResult}
		}
	}
	return all, nil
}

// withoutRepeats returns the resources, each once.
func withoutRepeats(all []plan.Resource) []plan.Resource {
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(r plan.Resource) bool {
		again := known[r.Name]
		known[r.Name] = true
		return again
	})
}

// shownNames returns the names of resources that people know.
func shownNames(all []plan.Resource) []string {
	var names []string
	for _, r := range all {
		names = append(names, cmp.Or(r.File, r.Name))
	}
	return names
}

// takeLinks takes the text of the message that is replied to, and the files and texts behind the links of a request.
// It returns why some links cannot be followed.
func (x *fetcher) takeLinks(
	ctx context.Context, r *record.Request, g *record.Given, namer *plan.Namer,
	take func(adapter string, files []adapters.File) (names []string, err error), add func(text plan.Resource),
) (dead []error, err error) {
	links, closed, err := x.links.Follow(ctx, r)
	if err != nil {
		return nil, err
	}
	g.Closed = closed
	if to := r.Message(); to != nil && to.ReplyTo != nil && !to.ReplyTo.Own { // people also reply to have a conversation
		if said, ok := textOf(*to.ReplyTo, namer); ok {
			add(said)
			g.Beside = append(g.Beside, said.Name)
		}
	}
	for _, link := range links {
		if link.Fault != nil {
			dead = append(dead, link.Fault)
		}
		shown, err := take(link.Adapter, link.Message.Files)
		if err != nil {
			return nil, err
		}
		if said, ok := textOf(link.Message, namer); ok && link.Fault == nil {
			add(said)
			shown = append(shown, said.File)
		}
		g.Wish = strings.TrimSpace(strings.Replace(cmp.Or(g.Wish, r.Message().Text), link.Written, strings.Join(shown, ", "), 1))
	}
	return dead, nil
}

// textOf returns the text of a message without files as a resource.
func textOf(m adapters.Earlier, namer *plan.Namer) (r plan.Resource, ok bool) {
	text := strings.TrimSpace(m.Text)
	if len(m.Files) > 0 || text == "" {
		return r, false
	}
	const file = "message.txt"
	return plan.Resource{Name: namer.Original(file, record.Hash(text)), Type: plan.Text, File: file, Value: text}, true
}

// marked returns the marks for a request: those made in the thread before it, and its own.
func marked(t *record.Thread, r *record.Request) []pointed {
	var all []pointed
	if r.Asked.Press != nil { // the marks were not made for this
		return nil
	}
	for _, e := range t.MarksFor(r.ID) {
		all = append(all, pointed{*e.Mark, e.Adapter})
	}
	if m := r.Asked.Event.Message; m != nil {
		for _, mark := range m.Marks {
			all = append(all, pointed{mark, r.Asked.Event.Adapter})
		}
	}
	return all
}

// takeMark turns the marks on a picture into resources; about describes them to people.
func takeMark(m pointed, key string, namer *plan.Namer, take func(string, adapters.File) (intake.Taken, error), about string) ([]plan.Resource, error) {
	var marks []plan.Resource
	add := func(r plan.Resource) {
		r.On, r.About = m.Picture, about
		marks = append(marks, r)
	}
	if len(m.Points) > 0 {
		points := make([]plan.Point, len(m.Points))
		for i, p := range m.Points {
			points[i] = plan.Point{X: p.X, Y: p.Y, Exclude: p.Exclude}
		}
		value, err := plan.EncodeValue(points)
		if err != nil {
			return nil, fmt.Errorf("take points: %w", err)
		}
		add(plan.Resource{Name: namer.Derived(string(plan.Points), key, "", m.Picture), Type: plan.Points, Value: value})
	}
	if len(m.Boxes) > 0 {
		boxes := make([]plan.Box, len(m.Boxes))
		for i, b := range m.Boxes {
			boxes[i] = plan.Box{XMin: b.XMin, YMin: b.YMin, XMax: b.XMax, YMax: b.YMax}
		}
		value, err := plan.EncodeValue(boxes)
		if err != nil {
			return nil, fmt.Errorf("take boxes: %w", err)
		}
		add(plan.Resource{Name: namer.Derived(string(plan.BBox), key, "", m.Picture), Type: plan.BBox, Value: value})
	}
	if m.Mask != nil {
		took, err := take(m.adapter, *m.Mask)
		if err != nil {
			return nil, err
		}
		mask := took.Files[0]
		mask.Type = plan.Mask
		add(mask)
	}
	return marks, nil
}

// referenced returns the resources of the thread that a message is about: the results of the answer it
// replies to, and the marks for the question it answers. If it picks a guess by its number, it is about
// everything the question was about.
func (x *fetcher) referenced(ctx context.Context, r *record.Request, t *record.Thread) ([]plan.Resource, error) {
	if press := r.Asked.Press; press != nil {
		if press.How == plan.Vary || press.Tries() { // it works on the inputs of the result, or on a sample
			return nil, nil
		}
		return x.ends(ctx, press.Of)
	}
	var all []plan.Resource
	for _, name := range t.SelectedFor(r) {
		all = append(all, plan.Resource{Name: name})
	}
	if id := r.Asked.Answers; id != "" {
		asked, err := x.store.Request(ctx, id)
		if err != nil && record.IgnoreUnknown(err) != nil {
			return nil, err
		}
		switch {
		case err != nil || asked.Given == nil:
		case r.Asked.Guess != "":
			all = append(all, asked.Given.Resources...)
		default:
			all = append(all, asked.Given.PointedAt()...)
		}
	}
	m := r.Asked.Event.Message
	if m == nil || m.ReplyTo == nil || !m.ReplyTo.Own {
		return all, nil
	}
	of, ok, err := x.store.Recall(ctx, m.ReplyTo.Ref)
	if err != nil || !ok {
		return all, err
	}
	made, err := x.ends(ctx, of.RunRef)
	return append(all, made...), err
}

// ends returns the final media of a run; none if the run is unknown.
func (x *fetcher) ends(ctx context.Context, of record.RunRef) ([]plan.Resource, error) {
	r, err := x.store.Request(ctx, of.Request)
	if err != nil {
		return nil, record.IgnoreUnknown(err)
	}
	run := r.Run(of.Run)
	if run == nil || run.Route == nil {
		return nil, nil
	}
	return run.Route.Ends(), nil
}

// sent returns the files of a request, or the sample file of an example, and the adapter that opens them.
func (x *fetcher) sent(r *record.Request) (source string, files []adapters.File) {
	if press := r.Asked.Press; press.Tries() && press.Sample != "" {
		return intake.SampleSource, []adapters.File{x.samples.File(press.Sample)}
	}
	return r.Asked.Event.Adapter, attached(r.Asked.Event.Message)
}

// without returns the resources without those of the files that the message has beside f, so that a clip that is attached
// twice, to be joined with itself, is two. names are the resources by file.
func without(all []plan.Resource, m *adapters.Message, f adapters.File, names map[string]string) []plan.Resource {
	if m == nil || !slices.ContainsFunc(m.Files, func(o adapters.File) bool { return o.ID == f.ID }) {
		return all
	}
	return slices.DeleteFunc(all, func(r plan.Resource) bool {
		return slices.ContainsFunc(m.Files, func(o adapters.File) bool { return o.ID != f.ID && names[o.ID] == r.Name })
	})
}

// attached returns the files of a message and of the one that it replies to. The bot's own files are left
// out: they are found through their answer.
func attached(m *adapters.Message) []adapters.File {
	switch {
	case m == nil:
		return nil
	case m.ReplyTo == nil || m.ReplyTo.Own:
		return m.Files
	default:
		return slices.Concat(m.ReplyTo.Files, m.Files)
	}
}
