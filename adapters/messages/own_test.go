package messages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/messages"
)

// formats returns the keys of the program's own sentences.
func formats(tb testing.TB) []string {
	tb.Helper()
	b, err := os.ReadFile("zh-Hans.json")
	if err != nil {
		tb.Fatal(err)
	}
	translated := map[string]any{}
	if err := json.Unmarshal(b, &translated); err != nil {
		tb.Fatal(err)
	}
	return slices.Sorted(maps.Keys(translated))
}

// TestOnlyOne checks the English sentences that have a form of their own for one thing.
func TestOnlyOne(t *testing.T) {
	t.Parallel()
	c, err := messages.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		format string
		args   []any
		want   string
	}{
		{"At most %d files are sent with one answer. Not sent: %d.", []any{1, 2}, "Only one file is sent with an answer. Not sent: 2."},
		{"At most %d files are sent with one answer. Not sent: %d.", []any{int64(10), 1}, "At most 10 files are sent with one answer. Not sent: 1."},
		{"%d minutes and %d seconds", []any{2, 1}, "2 minutes and 1 second"},
		{"%d minutes and %d seconds", []any{2, 21}, "2 minutes and 21 seconds"},
		{"With %s each there would be %d parts, not %d.", []any{"5 seconds", 1, 3}, "With 5 seconds each there would be only one part, not 3."},
		{"%d rows", []any{1}, "1 row"},
		{"%d rows", []any{1000}, "1,000 rows"},
		{"%s should have %d pictures, but it has %d.", []any{"The animation", 1, 3}, "The animation should have one picture, but it has 3."},
		{"with %d of %d rows", []any{1, 1}, "with 1 of 1 row"},
	} {
		if got := c.Say(messages.English, s.format, s.args...); got != s.want {
			t.Errorf("%q, want %q", got, s.want)
		}
	}
}

// FuzzOwnSentences checks that no sentence, in any language, loses user text or interprets it.
func FuzzOwnSentences(f *testing.F) {
	c, all := ownSentences(f)
	for i, s := range hostileTexts {
		f.Add(s, 1234, uint(i))
	}
	f.Fuzz(func(t *testing.T, wrote string, n int, which uint) {
		comesOut(t, c, all[which%uint(len(all))], wrote, n)
	})
}

// TestOwnSentences tries the first texts in every sentence.
func TestOwnSentences(t *testing.T) {
	t.Parallel()
	c, all := ownSentences(t)
	for _, wrote := range hostileTexts {
		for _, format := range all {
			comesOut(t, c, format, wrote, 1234)
		}
	}
}

var hostileTexts = []string{"a.png", "", "50%", "%s%d%[9]s%!", "${1}", "<b>*a* `b` [c](d)</b>", "\xff", "一半.jpg", "a\nb", `"`}

func ownSentences(tb testing.TB) (*messages.Catalogue, []string) {
	tb.Helper()
	c, err := messages.New()
	if err != nil {
		tb.Fatal(err)
	}
	return c, formats(tb)
}

// comesOut checks that what a person wrote is in a sentence as it was written, in each language.
func comesOut(t *testing.T, c *messages.Catalogue, format, wrote string, n int) {
	t.Helper()
	verbs, err := messages.Verbs(format)
	if err != nil {
		t.Fatal(err)
	}
	args := make([]any, len(verbs))
	for i, verb := range verbs {
		switch verb[len(verb)-1] {
		case 'd':
			args[i-1] = n
		case 'f':
			args[i-1] = float64(n)
		default:
			args[i-1] = fmt.Sprintf("%d %s", i, wrote)
		}
	}
	for _, tag := range []string{messages.English, messages.SimplifiedChinese} {
		got := c.Say(tag, format, args...)
		if strings.Contains(strings.ReplaceAll(got, wrote, ""), "%!") && wrote != "" && !strings.Contains(wrote, "%") {
			t.Fatalf("%q in %s is %q", format, tag, got)
		}
		for i, arg := range args {
			text, ok := arg.(string)
			if ok && !strings.Contains(got, text) && !strings.Contains(got, fmt.Sprintf("%q", text)) {
				t.Fatalf("%q in %s is %q: argument %d is lost", format, tag, got, i+1)
			}
		}
	}
}
