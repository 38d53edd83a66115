package messages_test

import (
	"strings"
	"testing"

	"atelier/adapters/messages"
)

func TestAccept(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                             messages.English,
		"de":                           messages.English,
		"zh":                           messages.SimplifiedChinese,
		"zh-CN,zh;q=0.9,en;q=0.8":      messages.SimplifiedChinese,
		"de, zh-Hans;q=0.5":            messages.SimplifiedChinese,
		"en-GB,en;q=0.9,zh;q=0.8":      messages.English,
		"zh;q=0.1,en;q=0.9":            messages.English,
		"*":                            messages.English,
		"\x00,,;;q=":                   messages.English,
		strings.Repeat("zh-CN,", 1000): messages.English,
	} {
		if got := messages.Accept(header); got != want {
			t.Errorf("%.40q: %s", header, got)
		}
	}
}
