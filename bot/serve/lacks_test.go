package serve_test

import (
	"strings"
	"testing"

	"atelier/adapters/messages"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
)

// TestLacksInChinese checks that what each tool lacks, if no backend is set up, is said in Chinese, with only names in
// English.
func TestLacksInChinese(t *testing.T) {
	t.Parallel()
	c, err := bottest.Builtin()
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
	said, err := messages.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range live.Statuses() {
		got := said.Tell(messages.SimplifiedChinese, s.Lack())
		if s.Tool.Name == "text_to_image" {
			want := "它需要工具服务器；请为自己的服务器设置 TOOL_SERVER_URL，或为 Hugging Face 的服务器设置 HF_TOKEN 和 ALLOW_CLOUD_MEDIA=true。" +
				"或者需要兼容 OpenAI 接口的服务器；请设置 OPENAI_API_KEY，或用 OPENAI_BASE_URL 指定自己的服务器。"
			if got != want {
				t.Errorf("%s lacks %q, want %q", s.Tool.Name, got, want)
			}
		}
		for _, english := range []string{" server", "the program", " or ", " a ", "needs"} {
			if strings.Contains(got, english) {
				t.Errorf("%s lacks %q", s.Tool.Name, got)
			}
		}
	}
}
