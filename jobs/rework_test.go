package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/jobs/quota"
	"atelier/storage"
	"atelier/storage/storagetest"
)

// reworker is a planner that can rework every result. A rework is a picture; variations are two pictures and a grid.
type reworker struct {
	*planner

	limits map[plan.Rework]map[string]int64
}

func newReworker(p *planner) *reworker { return &reworker{p, map[plan.Rework]map[string]int64{}} }

func (*reworker) Reworks(context.Context, *plan.Route) ([]plan.Rework, error) {
	return []plan.Rework{plan.Vary, plan.Larger, plan.Smaller}, nil
}

func (m *reworker) Rework(_ context.Context, r plan.Request, _ *plan.Route, how plan.Rework, limits map[string]int64) (*plan.Plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[r.ID], m.limits[how] = r, limits
	if how == plan.Vary {
		return read("picseeds>picgrid"), nil
	}
	return read("pic" + string(how)), nil
}

// seeds makes two pictures in the first step of variations.
func (m *reworker) seeds(blobs storage.Blobs) {
	m.set("picseeds", func(ctx context.Context, w jobs.Work) (plan.Result, error) {
		var all []plan.Resource
		for seed := range int64(2) {
			o := plan.Resource{Name: fmt.Sprintf("seed%d-%s.png", seed, w.Request.ID), File: "fox.png", Type: plan.Image, Seed: seed + 1007}
			o.Blob = w.Folder + "/" + o.Name
			if err := blobs.Put(ctx, o.Blob, strings.NewReader("PNG")); err != nil {
				return plan.Result{}, err
			}
			all = append(all, o)
		}
		return plan.Result{Status: plan.Done, Output: &all[0], More: all[1:]}, nil
	})
}

func reworking(m *reworker) func(*jobs.Config) { return func(c *jobs.Config) { c.Agent = m } }

// reply returns the posted answer of the first run.
func (h *house) reply(r jobs.Request) adapters.Reply {
	h.t.Helper()
	p, ok := h.chat.post(r.Runs[0].Sent)
	if !ok {
		h.t.Fatalf("nothing was sent, the run is %s", r.Runs[0].Status)
	}
	return p.reply
}

func given(r plan.Request) string {
	var names []string
	for _, g := range r.Given {
		names = append(names, g.Name)
	}
	return strings.Join(names, " ")
}

// TestNextMessageUsesSelection, without a mention, and no other message does.
func TestNextMessageUsesSelection(t *testing.T) {
	t.Parallel()
	enterBoth(t, func(h *house) {
		j := h.start()
		r := h.ask(j, h.says("t", "ann", "pic1"))
		h.ask(j, h.says("t", "bob", "pic2"))
		made := r.Runs[0].Answer.Resources[0].Name
		if got := h.reply(r).GoOn; !slices.Equal(got, []adapters.Sign{adapters.Use}) {
			h.t.Errorf("under the answer are %v", got)
		}
		press := h.reacts("bob", r.Runs[0].Sent, "📌", true)
		told := h.reply(h.ask(j, press))
		if told.Text != "Your next message here works on "+adapters.Escape(made)+"." || told.Mention != "bob" || told.Answer || len(told.GoOn) > 0 {
			h.t.Errorf("bob is told %+v", told)
		}
		if !h.passedOver(j, h.overhears("ann", "blur")) {
			h.t.Error("ann's next message is taken for bob's")
		}
		again := h.reacts("bob", r.Runs[0].Sent, "📌", true)
		if !h.passedOver(j, again) {
			h.t.Error("the same choice is reported twice")
		}
		next := h.ask(j, h.overhears("bob", "blur"))
		if got := given(h.planner.request(next.ID)); got != made {
			h.t.Errorf("it works on %q", got)
		}
		h.handle(j, press) // a repeated event
		if !h.passedOver(j, h.overhears("bob", "thanks")) {
			h.t.Error("what was used is still selected")
		}
		if last := h.ask(j, h.says("t", "bob", "sharpen")); given(h.planner.request(last.ID)) != "" {
			h.t.Error("the message after the next works on it too")
		}
	})
}

// TestSelectionLasts through a question, small talk and an edit, until another choice, and without a mention for a day.
func TestSelectionLasts(t *testing.T) {
	t.Parallel()
	h := enter(t)
	now := storagetest.NewClock()
	j := h.start(func(c *jobs.Config) { c.Now = now.Now })
	first := h.ask(j, h.says("t", "ann", "pic1"))
	second := h.ask(j, h.says("t", "bob", "pic2"))
	h.ask(j, h.reacts("ann", first.Runs[0].Sent, "📌", true))
	h.ask(j, h.reacts("ann", second.Runs[0].Sent, "📌", true))
	want := second.Runs[0].Answer.Resources[0].Name
	h.ask(j, h.overhears("ann", "!You are welcome!"))
	asked := h.ask(j, h.overhears("ann", "?How?"))
	if answer := h.ask(j, h.overhears("ann", "blur")); given(h.planner.request(answer.ID)) != want {
		t.Errorf("of %s, the answer to its question works on %q", asked.ID, given(h.planner.request(answer.ID)))
	}
	h.ask(j, h.reacts("bob", first.Runs[0].Sent, "📌", true))
	now.Pass(25 * time.Hour)
	if !h.passedOver(j, h.overhears("bob", "good morning")) {
		t.Error("after a day, a message without a mention is taken")
	}
	mention := h.says("t", "bob", "blur")
	h.ask(j, mention)
	edit := h.edits(mention, time.Minute, "sharpen")
	h.handle(j, edit)
	if r := h.wait(j, jobs.RequestID(edit), 1); given(h.planner.request(r.ID)) != first.Runs[0].Answer.Resources[0].Name {
		t.Errorf("after an edit, it works on %q", given(h.planner.request(r.ID)))
	}
}

// TestNoReworkOfDeletedAnswer: reworks of deleted results are refused.
func TestNoReworkOfDeletedAnswer(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	j := h.start(reworking(m))
	r := h.ask(j, h.says("t", "ann", "pic1"))
	varied := h.ask(j, h.reacts("ann", r.Runs[0].Sent, "🎲", true))
	twice := h.ask(j, h.reacts("bob", varied.Runs[0].Sent, "🎲", true))
	if twice.Runs[0].Status != jobs.Done {
		t.Fatalf("variations of variations are %s", twice.Runs[0].Status)
	}
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🗑", true))
	for _, press := range []adapters.Event{
		h.reacts("bob", twice.Runs[0].Sent, "🎲", true), h.reacts("bob", r.Runs[0].Sent, "📌", true), h.reacts("bob", r.Runs[0].Sent, "🔍", true),
	} {
		if said := h.told(h.ask(j, press)); said != "That result was deleted. Please send your request again." {
			t.Errorf("after %s: %s", press.Reaction.Sign, said)
		}
	}
}

// TestSelectedResultIsDeleted checks that a request for a result that was deleted after *Use this* is refused, and that
// the next message is about the rest of the thread.
func TestSelectedResultIsDeleted(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(reworking(newReworker(h.planner)))
	r := h.ask(j, h.says("t", "ann", "pic1"))
	h.ask(j, h.reacts("ann", r.Runs[0].Sent, "📌", true))
	h.handle(j, h.reacts("ann", r.Runs[0].Sent, "🗑", true))
	if said := h.told(h.ask(j, h.says("t", "ann", "pic2"))); said != "That result was deleted. Please send your request again." {
		t.Errorf("it says %q", said)
	}
	if again := h.ask(j, h.says("t", "ann", "pic2")); again.Runs[0].Status != jobs.Done {
		t.Errorf("sent again, it is %s", again.Runs[0].Status)
	}
}

// TestReworkIsSeparateRequest, shown on and stopped through the first request's message.
func TestReworkIsSeparateRequest(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	j := h.start(reworking(m))
	wish := h.says("t", "ann", "pic1")
	first := h.ask(j, wish)
	made := first.Runs[0].Answer.Resources[0].Name
	press := h.reacts("bob", first.Runs[0].Sent, "🔍", true)
	larger := h.ask(j, press)
	if asked := h.planner.request(larger.ID); asked.Wish != "Make "+made+" twice as large." || given(asked) != made {
		t.Errorf("asked is %q, given %q", asked.Wish, given(asked))
	}
	if reply := h.reply(larger); reply.AnswerTo.ID != wish.Message.Ref.ID || reply.Mention != "bob" || len(reply.Files) != 1 || !reply.Answer {
		t.Errorf("sent is %+v", reply)
	}
	h.handle(j, press) // a repeated event
	g := h.planner.blocks("piclarger")
	working := h.handle(j, h.reacts("bob", larger.Runs[0].Sent, "🔍", true))
	<-g.entered
	h.handle(j, h.reacts("eve", wish.Message.Ref, "🛑", true))
	h.handle(j, h.reacts("bob", wish.Message.Ref, "🛑", true))
	if r := h.wait(j, working, 1); r.Runs[0].Status != jobs.Cancelled || !strings.Contains(h.told(r), "as you asked") {
		t.Errorf("it is %s: %s", r.Runs[0].Status, h.told(r))
	}
	if h.planner.count("piclarger") != 2 {
		t.Errorf("it was done %d times", h.planner.count("piclarger"))
	}
}

// TestStopOfProgressStopsItsRunOnly checks that a progress message stops only its own run of several that continue from the
// same results, and only for its asker and admins. The first request's message stops them all.
func TestStopOfProgressStopsItsRunOnly(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	platform := &reporting{chat: h.chat, shown: make(chan struct{}, 100), fails: func(adapters.Progress) bool { return false }}
	h.planner.set("pic1", func(ctx context.Context, w jobs.Work) (plan.Result, error) {
		o := plan.Resource{Name: "big.png", Type: plan.Image, Blob: w.Folder + "/big.png"}
		return plan.Result{Status: plan.Done, Output: &o}, h.blobs.Put(ctx, o.Blob, strings.NewReader("PNG"+strings.Repeat("x", 29_997)))
	})
	j := h.start(reworking(m), func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	wish := h.says("t", "ann", "pic1")
	first := h.ask(j, wish)
	h.planner.blocks("picgrid")
	h.planner.blocks("piclarger")
	var ids []string
	for _, sign := range []string{"🎲", "🔍", "🗜️"} { // one after another
		ids = append(ids, h.handle(j, h.reacts("bob", first.Runs[0].Sent, sign, true)))
	}
	stop := func(by string, admin bool, on adapters.MessageRef) {
		e := h.stops("t", by)
		e.By.Admin, e.Cancel.On = admin, on
		h.handle(j, e)
	}
	vary := platform.messageOf("picseeds")
	stop("ann", false, vary)
	stop("eve", false, vary)
	stop("dora", false, wish.Message.Ref)
	h.chat.until(t, "three refusals", func() bool { return len(h.chat.private) == 3 })
	for _, told := range h.chat.private {
		if !strings.HasSuffix(told, ": Only the person who asked for this, or an admin, can stop it.") {
			t.Errorf("told is %q", told)
		}
	}
	stop("bob", false, vary)
	larger := platform.messageOf("piclarger")
	stop("bob", false, vary) // it has ended
	stop("root", true, larger)
	for i, want := range []jobs.Status{jobs.Cancelled, jobs.Cancelled, jobs.Done} {
		if r := h.wait(j, ids[i], 1); r.Runs[0].Status != want {
			t.Errorf("%d is %s", i, r.Runs[0].Status)
		}
	}
	h.handle(j, h.deletes(vary))
	if r := h.ask(j, h.reacts("bob", first.Runs[0].Sent, "📌", true)); !strings.HasPrefix(h.told(r), "Your next message") {
		t.Errorf("bob is told %q", h.told(r))
	}
}

// TestStopAtResultOfPress checks that stopping at a result that a press made stops what continues from it, and nothing
// that continues from other results.
func TestStopAtResultOfPress(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(reworking(newReworker(h.planner)))
	first := h.ask(j, h.says("t", "ann", "pic1"))
	larger := h.ask(j, h.reacts("bob", first.Runs[0].Sent, "🔍", true))
	g := h.planner.blocks("piclarger")
	further := h.handle(j, h.reacts("bob", larger.Runs[0].Sent, "🔍", true))
	<-g.entered
	other := h.handle(j, h.reacts("bob", first.Runs[0].Sent, "🔍", true)) // waits for its turn
	stop := h.stops("t", "bob")
	stop.Cancel.On = larger.Runs[0].Sent
	h.handle(j, stop)
	if r := h.wait(j, further, 1); r.Runs[0].Status != jobs.Cancelled {
		t.Errorf("what continues is %s", r.Runs[0].Status)
	}
	close(g.open)
	if r := h.wait(j, other, 1); r.Runs[0].Status != jobs.Done {
		t.Errorf("the other one is %s", r.Runs[0].Status)
	}
}

// TestWorkOfOthersOutlivesMessage checks that the deletion or an edit of a message stops what its author asked for with it, and
// nobody else's work on its results.
func TestWorkOfOthersOutlivesMessage(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(h *house, wish adapters.Event) adapters.Event{
		"deletion": func(h *house, wish adapters.Event) adapters.Event { return h.deletes(wish.Message.Ref) },
		"edit":     func(h *house, wish adapters.Event) adapters.Event { return h.edits(wish, time.Minute, "picnew") },
	} {
		h := enter(t)
		j := h.start(reworking(newReworker(h.planner)), held(quota.Config{AtOnce: 1, Exempt: []quota.Entry{{Adapter: "chat", Kind: quota.User, ID: "bob"}}}))
		wish := h.says("t", "ann", "pic1|picother")
		first := h.ask(j, wish)
		larger, other := h.planner.blocks("piclarger"), h.planner.blocks("picother")
		h.chooses(j, "bob", first, 1, true)
		<-other.entered
		bobs := h.handle(j, h.reacts("bob", first.Runs[0].Sent, "🔍", true))
		<-larger.entered
		anns := h.handle(j, h.reacts("ann", first.Runs[0].Sent, "🔍", true)) // waits for its turn
		changed := change(h, wish)
		h.handle(j, changed)
		if r := h.wait(j, anns, 1); r.Runs[0].Status != jobs.Cancelled || !r.Runs[0].Sent.IsZero() {
			t.Errorf("%s: ann's press is %s", what, r.Runs[0].Status)
		}
		close(larger.open)
		close(other.open)
		if r := h.wait(j, bobs, 1); r.Runs[0].Status != jobs.Done {
			t.Errorf("%s: bob's press is %s", what, r.Runs[0].Status)
		}
		if r := h.wait(j, first.ID, 2); r.Runs[1].Status != jobs.Done {
			t.Errorf("%s: bob's alternative is %s", what, r.Runs[1].Status)
		}
		if what == "edit" {
			if r := h.wait(j, jobs.RequestID(changed), 1); r.Runs[0].Status != jobs.Done {
				t.Errorf("the edited message is %s: %s", r.Runs[0].Status, h.told(r))
			}
		}
	}
}

// TestDoublePressRunsOnce checks that a second press of the same person shares the run that is in progress.
func TestDoublePressRunsOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	j := h.start(reworking(m), withHelp)
	first := h.ask(j, h.says("t", "ann", "pic1"))
	help := h.ask(j, h.commands("u", "ann", "help"))
	for tool, press := range map[string]func(by string) adapters.Event{
		"piclarger": func(by string) adapters.Event { return h.reacts(by, first.Runs[0].Sent, "🔍", true) },
		"picgrey":   func(by string) adapters.Event { return h.tries(by, help.Runs[0].Sent, "grey") },
	} {
		g := h.planner.blocks(tool)
		once := press("bob")
		id := h.handle(j, once)
		<-g.entered
		h.handle(j, once) // a repeated event
		if !h.passedOver(j, press("bob")) {
			t.Errorf("%s: a second press runs too", tool)
		}
		other := h.handle(j, press("eve"))
		close(g.open)
		h.wait(j, id, 1)
		h.wait(j, other, 1)
		h.ask(j, press("bob"))
		if n := h.planner.count(tool); n != 3 {
			t.Errorf("%s ran %d times", tool, n)
		}
	}
}

// TestSmallerFile has half the bytes, or fits the platform's limit.
func TestSmallerFile(t *testing.T) {
	t.Parallel()
	for platform, want := range map[int64]int64{0: 15_000, 100_000: 15_000, 31_000: 15_000, 9_000: 9_000} {
		h := enter(t)
		m := newReworker(h.planner)
		m.set("pic1", func(ctx context.Context, w jobs.Work) (plan.Result, error) {
			o := plan.Resource{Name: "big.png", Type: plan.Image, Blob: w.Folder + "/big.png"}
			return plan.Result{Status: plan.Done, Output: &o}, h.blobs.Put(ctx, o.Blob, strings.NewReader("PNG"+strings.Repeat("x", 29_997)))
		})
		j := h.start(reworking(m))
		r := h.ask(j, h.says("t", "ann", "pic1"))
		h.chat.limits = adapters.Limits{File: platform}
		h.ask(j, h.reacts("ann", r.Runs[0].Sent, "🗜️", true))
		if got := m.limits[plan.Smaller]["big.png"]; got != want {
			t.Errorf("where %d bytes are taken, it may have %d", platform, got)
		}
		if small := h.ask(j, h.says("t", "ann", "pic2")); slices.Contains(h.reply(small).GoOn, adapters.Smaller) {
			t.Error("a small file is offered to be made smaller")
		}
	}
}

// TestVariationIsChosen: a variation is picked by its number in the grid.
func TestVariationIsChosen(t *testing.T) {
	t.Parallel()
	h := enter(t)
	m := newReworker(h.planner)
	m.seeds(h.blobs)
	j := h.start(reworking(m))
	r := h.ask(j, h.says("t", "ann", "pic1"))
	varied := h.ask(j, h.reacts("ann", r.Runs[0].Sent, "🎲", true))
	reply := h.reply(varied)
	var seeds []string
	for _, c := range reply.Choices {
		seeds = append(seeds, c.Text)
	}
	if !slices.Equal(reply.GoOn, []adapters.Sign{adapters.Vary}) {
		t.Errorf("under the grid are %v", reply.GoOn)
	}
	if !reply.Picks || len(reply.Files) != 1 || reply.Files[0].Alt != "2 numbered variations in one picture" || !strings.HasPrefix(reply.Files[0].Resource, "picgrid") || fmt.Sprint(seeds) != "[seed 1007 seed 1008]" {
		t.Fatalf("sent is %+v", reply)
	}
	if reply.Text != "Here are 2 variations." || h.planner.count("respond") != 1 {
		t.Errorf("%s is said, and the planner worded %d answers", reply.Text, h.planner.count("respond"))
	}
	if len(varied.Runs[0].Answer.Resources) != 3 {
		t.Errorf("the thread remembers %v", varied.Runs[0].Answer.Resources)
	}
	pick := h.reacts("bob", varied.Runs[0].Sent, adapters.Digit(2), true)
	chosen := h.reply(h.ask(j, pick))
	if chosen.Text != `Your next message here works on number 2, fox-2\.png.` || len(chosen.Files) != 1 || chosen.Files[0].Resource != "seed1-"+varied.ID+".png" || chosen.Files[0].Name != "fox-2.png" {
		t.Errorf("bob is told %+v", chosen)
	}
	if acts := chosen.Acts(); !slices.Equal(acts, []adapters.Sign{adapters.Remove}) {
		t.Errorf("under what bob chose are %v", acts)
	}
	below := h.ask(j, h.says("t", "ann", "sharpen"))
	if earlier := h.planner.request(below.ID).Earlier; len(earlier) == 0 || earlier[len(earlier)-1].Name != chosen.Files[0].Resource {
		t.Errorf("below it are %+v", earlier)
	}
	next := h.ask(j, h.says("t", "bob", "blur"))
	if got := given(h.planner.request(next.ID)); got != "seed1-"+varied.ID+".png" {
		t.Errorf("it works on %q", got)
	}
	all, err := j.Show(t.Context(), varied.ID)
	check(t, err)
	if len(all.Runs) != 1 {
		t.Errorf("a choice to go on with began a run: there are %d", len(all.Runs))
	}
}

// TestUnofferedSign does nothing, and what the agent cannot do is not offered.
func TestUnofferedSign(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	text := h.ask(j, h.says("t", "ann", "blur"))
	picture := h.ask(j, h.says("t", "ann", "pic1"))
	for _, press := range []adapters.Event{
		h.reacts("ann", text.Runs[0].Sent, "📌", true), h.reacts("ann", picture.Runs[0].Sent, "🔍", true), h.reacts("ann", picture.Runs[0].Sent, "🎲", true),
	} {
		if !h.passedOver(j, press) {
			t.Errorf("%s is taken", press.Reaction.Sign)
		}
	}
}

// TestSeedIsTold in small print, if it can be asked for again.
func TestSeedIsTold(t *testing.T) {
	t.Parallel()
	for seed, want := range map[int64]string{0: "", 1007: "seed 1007", 1 << 40: ""} {
		t.Run(strconv.FormatInt(seed, 10), func(t *testing.T) {
			t.Parallel()
			h := enter(t)
			h.planner.set("a", func(ctx context.Context, w jobs.Work) (plan.Result, error) {
				o := plan.Resource{Name: "fox.png", Blob: w.Folder + "/fox.png", Type: plan.Image, Seed: seed}
				return plan.Result{Status: plan.Done, Output: &o}, h.blobs.Put(ctx, o.Blob, strings.NewReader("PNG"))
			})
			j := h.start()
			if got := h.reply(h.ask(j, h.says("t", "ann", "a"))).Small; got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		})
	}
}
