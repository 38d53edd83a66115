package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/adapters"
	"atelier/adapters/messages"
	"atelier/agent/plan"
	"atelier/jobs"
)

// bilingual translates sentences into the language of the request.
func bilingual(t *testing.T) func(*jobs.Config) {
	t.Helper()
	c, err := messages.New()
	if err != nil {
		t.Fatal(err)
	}
	return func(config *jobs.Config) {
		config.Tell = func(language string, m plan.Message) string { return c.Tell(language, m) }
	}
}

// TestErrorsAreInTheRequestsLanguage tests all failures of a request in Chinese and in English.
func TestErrorsAreInTheRequestsLanguage(t *testing.T) {
	t.Parallel()
	const wish = "把它变成卡通"
	for name, c := range map[string]struct {
		set              func(h *house, config *jobs.Config)
		file             string
		stop             bool
		chinese, english string
	}{
		"a file is too large": {
			set:     func(_ *house, config *jobs.Config) { config.MaxFile = 2_000_000 },
			file:    "PNG" + strings.Repeat("x", 2_000_000),
			chinese: "文件“50%d *x*.png”太大：我最多接受 2 MB。", english: `The file "50%d *x*.png" is too large: the limit is 2 MB.`,
		},
		"a wish is refused": {
			set: func(h *house, _ *jobs.Config) {
				h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { return nil, plan.TooMany(70) }
			},
			chinese: "一次要做的太多了：需要 70 步，而我最多做 64 步。请先只要求其中一部分。",
			english: "That is too much at once: it takes 70 steps, and I can do at most 64. Please ask for a part of it.",
		},
		"it is stopped": {
			set: func(h *house, _ *jobs.Config) {
				h.planner.plan = func(ctx context.Context, _ plan.Request) (*plan.Plan, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
			},
			stop: true, chinese: "已按你的要求停止。", english: "Stopped, as you asked.",
		},
		"nobody knows why": {
			set: func(h *house, config *jobs.Config) {
				config.Impatient = true
				h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { return nil, errors.New("secret detail") }
			},
			chinese: "发生了意料之外的错误，管理员可以在日志中找到详情。",
			english: "Something unexpected went wrong. The operator can find out more in the log.",
		},
		"nobody can run the tool": {
			set: func(h *house, config *jobs.Config) {
				config.Impatient = true
				h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { return read("blur"), nil }
				h.planner.set("blur", func(context.Context, jobs.Work) (plan.Result, error) {
					return plan.Result{}, errors.New("secret detail")
				})
			},
			chinese: "It did not work. 完成这件事所需的东西已经不在了。请重新提出请求。", english: "It did not work. Something that this needs is no longer available. Please ask again.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for tag, want := range map[string]string{messages.SimplifiedChinese: c.chinese, messages.English: c.english} {
				h := enter(t)
				j := h.start(bilingual(t), func(config *jobs.Config) { c.set(h, config) })
				text := wish
				if tag == messages.English {
					text = "make it a cartoon"
				}
				var files []adapters.File
				if c.file != "" {
					files = append(files, h.chat.upload("50%d *x*.png", c.file))
				}
				id := h.handle(j, h.says("t", "ann", text, files...))
				if c.stop {
					check(t, j.Cancel(t.Context(), id, "ann"))
				}
				r := h.wait(j, id, 1)
				if got := h.told(r); got != want {
					t.Errorf("in %s the reply is %q, want %q", tag, got, want)
				}
				if got := r.Runs[0].Answer.Reply.Language; got != tag {
					t.Errorf("the reply is in %q, want %s", got, tag)
				}
			}
		})
	}
}

// TestRequestLanguage: the agent gets the language of a request, offers are in it, and an answer without words has the
// language of the question.
func TestRequestLanguage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.plan = func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		if r.Question == nil {
			return &plan.Plan{Wish: r.Wish, Question: "哪一张？"}, nil
		}
		return read("blur|edge>sharpen"), nil
	}
	j := h.start(bilingual(t))
	first := h.ask(j, h.says("t", "ann", "把它变成卡通"))
	second := h.ask(j, h.says("t", "ann", "2"))
	for _, r := range []jobs.Request{first, second} {
		if got := h.planner.asked[r.ID].Language; got != messages.SimplifiedChinese {
			t.Errorf("the agent gets %q", got)
		}
	}
	choices := second.Runs[0].Answer.Reply.Choices
	if len(choices) != 1 || choices[0].Text != "edge；sharpen" {
		t.Errorf("offered is %v", choices)
	}
}

// TestRequestWithoutWordsUsesThreadsLanguage: all requests fail, so that the thread has no turns.
func TestRequestWithoutWordsUsesThreadsLanguage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { return nil, plan.TooMany(70) }
	j := h.start(bilingual(t))
	replies := func(thread, text, to string, own bool) adapters.Event {
		e := h.says(thread, "ann", text)
		e.Message.ReplyTo = &adapters.Earlier{Ref: e.Message.Ref, By: e.By, Own: own, At: e.At, Text: to}
		return e
	}
	for _, c := range []struct {
		event adapters.Event
		want  string
	}{
		{h.says("t", "ann", "👍"), messages.English},
		{h.says("t", "ann", "把它变成卡通"), messages.SimplifiedChinese},
		{h.says("t", "ann", "1"), messages.SimplifiedChinese},
		{h.says("t", "bob", "？"), messages.SimplifiedChinese},
		{h.says("t", "ann", "", h.chat.upload("a.png", "PNGx")), messages.SimplifiedChinese},
		{replies("t", "👍", "make it a cartoon", false), messages.English},
		{h.says("t", "ann", "2"), messages.English},
		{replies("t", "👍", "把它变成卡通", false), messages.SimplifiedChinese},
		{replies("t", "👍", "The text in the picture", true), messages.SimplifiedChinese},
		{replies("u", "👍", "图中的文字", true), messages.SimplifiedChinese},
		{replies("v", "rotate it", "图中的文字", true), messages.English},
		{h.says("v", "ann", "翻译成中文：Hello, how are you? I am fine."), messages.SimplifiedChinese},
	} {
		r := h.ask(j, c.event)
		if got := r.Runs[0].Answer.Reply.Language; got != c.want {
			t.Errorf("%q, in reply to %+v, is in %q, want %s", c.event.Message.Text, c.event.Message.ReplyTo, got, c.want)
		}
	}
}

// TestMarksAreInTheRequestsLanguage even if the request came before them.
func TestMarksAreInTheRequestsLanguage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(bilingual(t))
	for wish, format := range map[string]string{"把它剪下来": "标记在 %s 上", "cut": "marked on %s"} {
		picture := h.ask(j, h.says(wish, "ann", "pic")).Runs[0].Made[0]
		e := h.says(wish, "ann", wish)
		e.Message.Marks = []adapters.Mark{{Picture: picture.Name, Width: 100, Height: 50, Points: []adapters.Point{{X: 1, Y: 2}}}}
		given := h.planner.request(h.ask(j, e).ID).Given
		if want := fmt.Sprintf(format, picture.Name); len(given) != 2 || given[1].About != want {
			t.Errorf("given are %+v, want one that is %q", given, want)
		}
	}
}

// TestProgressIsInTheRequestsLanguage watches the titles of a progress message.
func TestProgressIsInTheRequestsLanguage(t *testing.T) {
	t.Parallel()
	h := enter(t)
	g := h.planner.blocks("blur")
	h.planner.plan = func(context.Context, plan.Request) (*plan.Plan, error) { return read("blur"), nil }
	var mu sync.Mutex
	var titles []string
	platform := &reporting{chat: h.chat, shown: make(chan struct{}, 1), fails: func(p adapters.Progress) bool {
		mu.Lock()
		defer mu.Unlock()
		titles = append(titles, p.Title)
		if p.Language != messages.SimplifiedChinese {
			t.Errorf("the labels are in %q", p.Language)
		}
		return false
	}}
	j := h.process(bilingual(t), func(c *jobs.Config) { c.Adapters = []adapters.Adapter{platform} })
	stop := h.run(j)
	id := h.handle(j, h.says("t", "ann", "把它变成卡通"))
	<-g.entered
	<-platform.shown
	close(g.open)
	h.wait(j, id, 1)
	stop()
	mu.Lock()
	defer mu.Unlock()
	told := []string{"正在规划", "正在撰写回答", "已完成 0/1 步", "已完成 1/1 步"}
	if strange := slices.ContainsFunc(titles, func(title string) bool { return !slices.Contains(told, title) }); strange || len(titles) == 0 {
		t.Errorf("the titles are %q", titles)
	}
}
