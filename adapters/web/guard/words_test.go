package guard

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atelier/adapters/messages"
)

// sentences matches the sentences for people, in templates and in the code.
var sentences = regexp.MustCompile(`(?:say \.Language|format:|tooManyGuesses =|deny\(http\.\w+,|return) ("(?:[^"\\]|\\.)*"(?: \+\s+"(?:[^"\\]|\\.)*")*)`)

// joined matches what is between the two halves of a sentence.
var joined = regexp.MustCompile(`"\s*\+\s+"`)

func TestEverySentenceIsTranslated(t *testing.T) {
	t.Parallel()
	b, err := files.ReadFile("words/zh-Hans.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]string
	if err := json.Unmarshal(b, &words); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, pattern := range []string{"*.go", "template/*.html"} {
		here := os.DirFS(".")
		names, err := fs.Glob(here, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(here, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range sentences.FindAllStringSubmatch(string(text), -1) {
				sentence, err := strconv.Unquote(joined.ReplaceAllString(found[1], ""))
				if err != nil {
					t.Fatal(name, err)
				}
				said[sentence] = true
			}
		}
	}
	for sentence := range words {
		if !said[sentence] {
			t.Errorf("%q is never said", sentence)
		}
	}
	for sentence := range said {
		if strings.Contains(sentence, " ") && words[sentence] == "" {
			t.Errorf("%q is not translated", sentence)
		}
	}
	if len(said) < 15 {
		t.Errorf("only %d sentences were found", len(said))
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	h := newGuard(t, Config{Password: secret, State: &memory{}}).Handler()
	for accept, want := range map[string]string{
		"":                             messages.English,
		"de":                           messages.English,
		"zh-CN,zh;q=0.9,en;q=0.8":      messages.SimplifiedChinese,
		"en-GB,en;q=0.9,zh;q=0.8":      messages.English,
		"zh;q=0.1,en;q=0.9":            messages.English,
		"*":                            messages.English,
		"\x00,,;;q=":                   messages.English,
		strings.Repeat("zh-CN,", 1000): messages.English,
	} {
		page := ask(h, http.MethodGet, "/login", with("Accept-Language", accept)).text
		if !strings.Contains(page, `<html lang="`+want+`">`) || strings.Contains(page, "登录") != (want == messages.SimplifiedChinese) {
			t.Errorf("%.40q: %s", accept, page)
		}
	}
}
