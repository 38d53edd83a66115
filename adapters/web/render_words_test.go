package web

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// All texts used by the scripts exist.
func TestScriptWords(t *testing.T) {
	t.Parallel()
	page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).Page(b, sampleThread()) })
	scripts, err := filepath.Glob("page/static/*.js")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	calls := regexp.MustCompile(`word\("(\w+)"`)
	upper := regexp.MustCompile(`[A-Z]`)
	var all strings.Builder
	for _, name := range scripts {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		for _, call := range calls.FindAllStringSubmatch(string(b), -1) {
			attr := "data-" + strings.ToLower(upper.ReplaceAllString(call[1], "-$0")) + `="`
			if !strings.Contains(page, attr) {
				t.Errorf("%s says %s, which the page does not hold", name, call[1])
			}
		}
	}
	_, words, _ := strings.Cut(page, `<div id="words"`)
	words, _, _ = strings.Cut(words, "></div>")
	for _, held := range regexp.MustCompile(`data-([a-z-]+)="`).FindAllStringSubmatch(words, -1) {
		name := regexp.MustCompile(`-[a-z]`).ReplaceAllStringFunc(held[1], func(s string) string { return strings.ToUpper(s[1:]) })
		if !strings.Contains(all.String(), `"`+name+`"`) {
			t.Errorf("no script says %s", name)
		}
	}
}
