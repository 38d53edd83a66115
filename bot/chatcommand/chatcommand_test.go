package chatcommand

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
	"atelier/agent/plan"
	"atelier/bot/bottest"
	"atelier/jobs"
	"atelier/jobs/quota"
)

func TestCommandsOfAChat(t *testing.T) {
	t.Parallel()
	sentences, err := messages.New()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	step := func(tool string, s plan.Status) jobs.Step {
		return jobs.Step{Text: plan.Say("what %s makes", tool), Status: s}
	}
	hers := jobs.Request{Runs: []jobs.Run{
		{By: "ann", Status: jobs.Done, At: began, Ended: began},
		{By: "ann", Status: jobs.Running, At: began, Steps: []jobs.Step{step("image_to_edge", plan.Done), step("blur_image", plan.Running), step("flip_image", "")}},
		{By: "bob", Status: jobs.Running, At: began},
		{By: "ann", Status: jobs.Waiting, At: began.Add(30 * time.Second)},
		{By: "ann", Status: jobs.Planning, At: began},
		{By: "ann", Status: jobs.Done, At: began},
	}}
	c := Commands{
		Tell: func(language string, m plan.Message) string { return sentences.Tell(language, m) }, Tools: catalogue.Tools(), Now: func() time.Time { return began.Add(time.Minute) },
		Live: func(context.Context) (map[string]bool, error) {
			return map[string]bool{"blur_image": true, "image_to_edge": true, "get_time": true, "cut_video": false}, nil
		},
		Samples: func(context.Context) ([]plan.Sample, error) {
			return []plan.Sample{{Key: "grey", Wish: "make it black and white"}}, nil
		},
		Recent: func(_ context.Context, by adapters.Person, _ adapters.Thread) (all []Answered, err error) {
			if by.ID == "ann" {
				all = []Answered{{"make [it] blue", "https://team.example.com/archives/C1/p1"}, {Wish: "cut it"}}
			}
			return all, nil
		},
		Standing: func(_ context.Context, by adapters.Person, _ adapters.Thread) (s jobs.Standing, err error) {
			if by.ID == "ann" {
				s = jobs.Standing{Requests: []jobs.Request{hers}, Left: quota.Left{Requests: 3, Limit: 20, Bytes: 5_000_000, DayLimit: 90_000_000}}
			}
			return s, nil
		},
	}
	for _, one := range []struct {
		name, by, language string
		holds, lacks       []string
	}{
		{"help", "ann", "en", []string{"Mention me", "1️⃣", "🔁", "🛑", "🗑️", "status", "cancel", "tools"}, []string{"do not know", "You can try"}},
		{"dance", "ann", "en", []string{"I do not know that command.", "Mention me"}, nil},
		{"help", "ann", "zh-Hans", []string{"说出你想要什么", "命令"}, []string{"Mention"}},
		{
			"tools", "ann", "en",
			[]string{"- **Pictures**: “make this picture a bit blurry”, “", "- **Texts and questions**: “what time is it in Sydney?”"},
			[]string{"**Videos**", "**Sound**", "{", "_"},
		},
		{"tools", "ann", "zh-Hans", []string{"- **图片**：“"}, []string{"Pictures"}},
		{
			"status", "ann", "en",
			[]string{
				"- In progress for 60 seconds: 1 of 3 steps are done. Now: what blur_image makes.\n- In the queue for 30 seconds.\n" +
					"- Planning for 60 seconds.\n- Writing the answer, after 60 seconds.\n",
				"You can still make 3 of 20 requests this hour.", "You can still upload 5 MB of 90 MB today.",
			},
			nil,
		},
		{
			"home", "ann", "en",
			[]string{"You can try:\n- make it black and white\nMention me", "Your latest results:\n- [make \\[it\\] blue](https://team.example.com/archives/C1/p1)\n- cut it"},
			[]string{"do not know", "Commands"},
		},
		{"home", "bob", "en", []string{"You can try:"}, []string{"latest"}},
		{"status", "bob", "en", []string{"You have no requests in progress here."}, []string{"hour", "day"}},
	} {
		e := adapters.Event{By: adapters.Person{ID: one.by}, Command: &adapters.Command{Name: one.name}}
		told, try, err := c.Answer(t.Context(), e, one.language)
		if err != nil {
			t.Fatal(err)
		}
		if (len(try) == 1) != (one.name == "help" || one.name == "dance") {
			t.Errorf("%s has the examples %v", one.name, try)
		}
		for _, want := range one.holds {
			if !strings.Contains(told, want) {
				t.Errorf("%s in %s lacks %q:\n%s", one.name, one.language, want, told)
			}
		}
		for _, bad := range one.lacks {
			if strings.Contains(told, bad) {
				t.Errorf("%s in %s says %q:\n%s", one.name, one.language, bad, told)
			}
		}
	}
}

// TestEveryCommandIsAnswered and listed in the help.
func TestEveryCommandIsAnswered(t *testing.T) {
	t.Parallel()
	c := Commands{
		Tell:     func(_ string, m plan.Message) string { return m.String() },
		Live:     func(context.Context) (map[string]bool, error) { return map[string]bool{}, nil },
		Samples:  func(context.Context) ([]plan.Sample, error) { return nil, nil },
		Standing: func(context.Context, adapters.Person, adapters.Thread) (s jobs.Standing, err error) { return s, nil },
	}
	answer := func(name string) string {
		told, _, err := c.Answer(t.Context(), adapters.Event{Command: &adapters.Command{Name: name}}, "en")
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	help := answer(adapters.HelpCommand)
	_, listed, _ := strings.Cut(help, "Commands: ")
	for _, name := range append(adapters.AnsweredCommands(), adapters.AskCommand, adapters.CancelCommand) {
		if !strings.Contains(listed, name) {
			t.Errorf("the help lacks %s", name)
		}
	}
	for _, name := range adapters.AnsweredCommands() {
		if told := answer(name); told == "" || strings.Contains(told, "do not know") || (told == help) != (name == adapters.HelpCommand) {
			t.Errorf("%s is answered with %q", name, told)
		}
	}
}

// TestSuggestions checks that they are requests that can be tried here, and the question what else there is.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	samples := []plan.Sample{{Key: "greyscale_image", Wish: "make it black and white"}}
	c := Commands{Samples: func(context.Context) ([]plan.Sample, error) { return samples, nil }}
	_, try, err := c.Answer(t.Context(), adapters.Event{Command: &adapters.Command{Name: adapters.PromptsCommand}}, "zh-Hans")
	if want := append(slices.Clone(samples), plan.Sample{Key: "help", Wish: "What can you do?"}); err != nil || !slices.Equal(try, want) {
		t.Errorf("the suggestions are %v: %v", try, err)
	}
}

func TestCommandsWithoutATool(t *testing.T) {
	t.Parallel()
	c := Commands{Live: func(context.Context) (map[string]bool, error) { return map[string]bool{}, nil }}
	told, _, err := c.Answer(t.Context(), adapters.Event{Command: &adapters.Command{Name: "tools"}}, "en")
	if err != nil || !strings.Contains(told, "I cannot do anything at the moment.") {
		t.Errorf("the reply is %q: %v", told, err)
	}
}

// located is a platform whose threads have addresses.
type located struct{ adapters.Adapter }

func (located) Name() string { return "chat" }

func (located) Locate(_ context.Context, t adapters.Thread) (string, error) {
	return "https://chat.example.com/" + t.ID, nil
}

// TestRecentOf checks that the list has only that person's answered requests with results, in that workspace.
func TestRecentOf(t *testing.T) {
	t.Parallel()
	ann := adapters.Person{ID: "ann"}
	in := func(workspace, id string) adapters.Thread {
		return adapters.Thread{Adapter: "chat", Workspace: workspace, Channel: "c", ID: id}
	}
	done := []jobs.Run{{Made: []plan.Resource{{Name: "a.png"}}, Sent: adapters.MessageRef{Adapter: "chat", Channel: "c", ID: "1"}}}
	all := []jobs.Request{
		{By: ann, Thread: in("w", "t1"), Wish: "make it\n blue", Runs: done},
		{By: adapters.Person{ID: "bob"}, Thread: in("w", "t2"), Wish: "of another person", Runs: done},
		{By: ann, Thread: in("elsewhere", "t3"), Wish: "in another workspace", Runs: done},
		{By: ann, Thread: in("w", "t4"), Wish: "not answered yet", Runs: []jobs.Run{{}}},
		{By: ann, Thread: in("w", "t5"), Wish: "made nothing", Runs: []jobs.Run{{Sent: done[0].Sent}}},
		{By: ann, Thread: in("w", "t6"), Wish: strings.Repeat("long ", 50), Runs: done},
	}
	for range 2 * maxShown {
		all = append(all, jobs.Request{By: ann, Thread: in("w", "t7"), Wish: "earlier", Runs: done})
	}
	var failure error
	latest := func(context.Context, int) ([]jobs.Request, error) { return all, failure }
	got, err := RecentOf(t.Context(), latest, []adapters.Adapter{located{}}, ann, in("w", ""))
	if err != nil || len(got) != maxShown || got[0] != (Answered{"make it blue", "https://chat.example.com/t1"}) ||
		len([]rune(got[1].Wish)) != maxWish || !slices.Contains(got, Answered{"earlier", "https://chat.example.com/t7"}) {
		t.Errorf("they are %q: %v", got, err)
	}
	if got, err = RecentOf(t.Context(), latest, nil, ann, in("w", "")); err != nil || got[0] != (Answered{Wish: "make it blue"}) {
		t.Errorf("without the platform they are %q: %v", got, err)
	}
	failure = errors.New("it is away")
	if _, err = RecentOf(t.Context(), latest, nil, ann, in("w", "")); !errors.Is(err, failure) {
		t.Errorf("it fails with %v", err)
	}
}
