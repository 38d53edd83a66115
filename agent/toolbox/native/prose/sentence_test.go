package prose

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":        {" \n\t ", nil},
		"plain":          {"One is here. Two is there! Is three? Yes", []string{"One is here.", "Two is there!", "Is three?", "Yes"}},
		"title":          {"Dr. Who met Mrs. Fox. They left.", []string{"Dr. Who met Mrs. Fox.", "They left."}},
		"initials":       {"J. S. Bach wrote it. We listen.", []string{"J. S. Bach wrote it.", "We listen."}},
		"decimals":       {"It costs 3.50 now. Before it was 2.1 million.", []string{"It costs 3.50 now.", "Before it was 2.1 million."}},
		"numbered":       {"See fig. 3 and No. 7. He said no. Then he went.", []string{"See fig. 3 and No. 7.", "He said no.", "Then he went."}},
		"lower goes on":  {"Use a tool, e.g. a saw. “Stop!” he cried.", []string{"Use a tool, e.g. a saw.", "“Stop!” he cried."}},
		"country":        {"The U.S. Navy came. She lives in the U.S. The end.", []string{"The U.S. Navy came.", "She lives in the U.S.", "The end."}},
		"quotes":         {`He said "Go." Then (at last!) she went. "Why?"`, []string{`He said "Go."`, "Then (at last!) she went.", `"Why?"`}},
		"dots":           {"Wait... what? Well… Fine.", []string{"Wait... what?", "Well…", "Fine."}},
		"addresses":      {"Look at example.com today. It is new.", []string{"Look at example.com today.", "It is new."}},
		"wrapped lines":  {"This goes\non here. And\r\nends.", []string{"This goes on here.", "And ends."}},
		"paragraphs":     {"A heading\n\nThe text begins. It ends.", []string{"A heading", "The text begins.", "It ends."}},
		"no punctuation": {"milk\neggs\nbread", []string{"milk", "eggs", "bread"}},
		"list":           {"Buy:\n- milk.\n- eggs.\n1. Go home.\n2. Eat.", []string{"Buy:", "- milk.", "- eggs.", "1. Go home.", "2. Eat."}},
		"Chinese":        {"这是第一句。这是第二句！“真的吗？”好", []string{"这是第一句。", "这是第二句！", "“真的吗？”", "好"}},
		"Japanese":       {"「こんにちは。」彼は言った。終わり", []string{"「こんにちは。」", "彼は言った。", "終わり"}},
		"bad UTF-8":      {"a\xff. B", []string{"a\uFFFD.", "B"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Sentences(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRunOnTextsAreCut(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(strings.Repeat("and so we walked along ", 100))
	got := Sentences(text)
	if len(got) < 5 || strings.Join(got, " ") != text {
		t.Errorf("500 words without a stop became %d pieces", len(got))
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Dr. A. Fox paid 3.5. “Why?” No. 7 stayed; I did not.")
	f.Add("a. b.\n\n- c. 1. D... “e”。f\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := Sentences(text)
		if !slices.Equal(strings.Fields(strings.Join(got, " ")), strings.Fields(strings.Join(got, "\n"))) {
			t.Error("a sentence holds odd white space")
		}
		if have, want := squeeze(strings.Join(got, "")), squeeze(Clean(text)); have != want {
			t.Errorf("the text changed: %q, not %q", have, want)
		}
		for _, s := range got {
			if strings.TrimSpace(s) == "" || !utf8.ValidString(s) {
				t.Errorf("bad sentence %q", s)
			}
		}
	})
}

// squeeze removes white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
