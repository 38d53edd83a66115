package toolbox_test

import (
	"strings"
	"testing"

	"atelier/adapters/phrase"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// What is lacking is told in the language of the wish, and as ways of which one is enough.
func TestLackIsToldAsAlternatives(t *testing.T) {
	t.Parallel()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	box, err := toolbox.New(toolbox.Config{Catalogue: c})
	if err != nil {
		t.Fatal(err)
	}
	live, err := box.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said, err := phrase.New()
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]map[string]string{
		"text_to_image": {
			phrase.English: "It needs a tool server; this version cannot use such servers yet. " +
				"Or it needs an OpenAI-compatible server; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",
			phrase.SimplifiedChinese: "它需要工具服务器；此版本还不能使用这类服务器。" +
				"或者需要兼容 OpenAI 接口的服务器；请设置 OPENAI_API_KEY，或用 OPENAI_BASE_URL 指定自己的服务器。",
		},
	} {
		s, ok := live.Status(tool)
		if !ok {
			t.Fatalf("there is no tool %s", tool)
		}
		for tag, want := range want {
			if got := said.Tell(tag, s.Lack()); got != want {
				t.Errorf("in %s, %s lacks %q, want %q", tag, tool, got, want)
			}
		}
	}
	for _, s := range live.Statuses() {
		got := said.Tell(phrase.SimplifiedChinese, s.Lack())
		for _, english := range []string{" server", "the program", " or ", " a ", "needs"} {
			if strings.Contains(got, english) {
				t.Errorf("%s: %q", s.Tool.Name, got)
			}
		}
	}
}

func TestALackOfAnotherKindIsAnAlternativeToo(t *testing.T) {
	t.Parallel()
	s := toolbox.Status{Whys: []plan.Message{plan.Say("Its backend is broken."), plan.Say("Its backend does not answer.")}}
	if got, want := s.Lack().String(), "Its backend is broken. Or else: Its backend does not answer."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if lack := (toolbox.Status{Live: true}).Lack(); !lack.IsZero() {
		t.Errorf("a live tool lacks %q", lack)
	}
}
