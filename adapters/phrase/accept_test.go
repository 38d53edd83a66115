package phrase_test

import (
	"strings"
	"testing"

	"atelier/adapters/phrase"
)

func TestAccept(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                             phrase.English,
		"de":                           phrase.English,
		"zh":                           phrase.SimplifiedChinese,
		"zh-CN,zh;q=0.9,en;q=0.8":      phrase.SimplifiedChinese,
		"de, zh-Hans;q=0.5":            phrase.SimplifiedChinese,
		"en-GB,en;q=0.9,zh;q=0.8":      phrase.English,
		"zh;q=0.1,en;q=0.9":            phrase.English,
		"*":                            phrase.English,
		"\x00,,;;q=":                   phrase.English,
		strings.Repeat("zh-CN,", 1000): phrase.English,
	} {
		if got := phrase.Accept(header); got != want {
			t.Errorf("%.40q: %s", header, got)
		}
	}
}
