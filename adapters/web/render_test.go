package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
)

// hostile is text that is to be shown as it is, and to do nothing.
var hostile = []string{
	`<xss-probe>`, `"><xss-probe x="`, `'><xss-probe x='`, `</title></textarea></script><xss-probe>`, `<script>alert(1)</script>`,
	`javascript:alert(1)`, `" onclick="alert(1)" style="color:red`, `{{.}} ${1} %s %!d(x)`, "a\x00b\x1b[31m\u202egnp.exe\u2066", "<!-- <xss-probe> -->",
	`&lt;xss-probe&gt;`, "\xff\xfe<xss-probe>", strings.Repeat("<a href=x>", 200), strings.Repeat("字", 3000), `]]><xss-probe>`,
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	p := mustPages(t)
	for _, text := range hostile {
		for _, tag := range []string{"en", "zh-Hans"} {
			for name, v := range hostilePages(text) {
				v.Language = tag
				var b bytes.Buffer
				if err := p.page(&b, v); err != nil {
					t.Fatal(err)
				}
				checkHTML(t, name, b.String())
			}
			work := hostileWork(text)
			checkHTML(t, "work", rendered(t, func(b *bytes.Buffer) error { return p.work(b, tag, &work) }))
			checkHTML(t, "failure", rendered(t, func(b *bytes.Buffer) error { return p.failure(b, tag, text) }))
			checkHTML(t, "messages", rendered(t, func(b *bytes.Buffer) error { return p.messages(b, tag, hostileMessages(text)) }))
		}
	}
}

func rendered(t *testing.T, render func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func hostilePages(s string) map[string]pageView {
	v := pageView{Title: s, Me: adapters.Person{ID: s, Name: s}, CanLeave: true, Threads: []threadLine{{ID: s, Title: s, At: noon}}}
	thread, fresh, tools, missing := v, v, v, v
	thread.Thread = &threadView{ID: s, Title: s, Messages: hostileMessages(s)}
	fresh.Fresh, fresh.Examples = s, []Example{{Wish: s, Needs: s}}
	tools.Tools = []Tool{{Name: s, Description: s, Domain: s, Takes: []string{s}, Makes: s, Examples: []string{s}, Live: true, By: s}, {Name: s, Domain: s, Why: s, Makes: s}}
	missing.Missing = s
	return map[string]pageView{"thread": thread, "fresh": fresh, "tools": tools, "missing": missing}
}

func hostileMessages(s string) []messageView {
	m := messageView{
		ID: "m1", By: s, At: noon, Text: renderText(s), Language: s, Status: adapters.Status(s), ReplyTo: "m2",
		Choices:  []choiceView{{Number: 1, Text: s, Ready: true, Mine: true}},
		CanAgain: true, CanStop: true, CanRemove: true, HasWork: true, WorkURL: s, ActURL: s, Marks: []markView{{Name: s, Points: 1}},
	}
	for _, kind := range []string{"image", "video", "audio", "page", "text", "other", s} {
		m.Files = append(m.Files, fileView{Name: s, Alt: s, Note: s, Size: 1, Kind: kind, Type: s, URL: s, Download: s, Mark: s})
	}
	plain := m
	plain.ID, plain.Text, plain.Mine = "m2", plainText(s), true
	progress := messageView{ID: "m3", By: "", ActURL: s, Progress: &adapters.Progress{Title: s, Steps: []adapters.ProgressStep{{Key: s, Text: s, State: adapters.StepState(s), Took: time.Second}}}}
	ended := progress
	ended.ID, ended.Progress = "m4", &adapters.Progress{Title: s, Ended: true, Steps: progress.Progress.Steps}
	return []messageView{m, plain, progress, ended, {ID: "m5", By: s, Removed: true}}
}

func hostileWork(s string) Work {
	given := Flow{Name: s, Type: s, From: -1, Argument: s, Text: s}
	return Work{Steps: []Step{
		{Tool: s, Model: s, State: adapters.StepState(s), Took: time.Second, Problem: s, Takes: []Flow{given}, Makes: []Flow{{Name: s, Type: s}}},
		{Tool: s, Takes: []Flow{{Type: s, From: 0}, {Type: s, From: 99, Text: s}, {Type: s, From: 1}}},
	}}
}

// Every page and piece keeps what browsers and screen readers need.
func TestStructure(t *testing.T) {
	t.Parallel()
	p := mustPages(t)
	for name, v := range map[string]pageView{"thread": sampleThread(), "empty": sampleEmpty(), "tools": sampleTools(), "nothing": {Language: "zh-Hans"}} {
		page := rendered(t, func(b *bytes.Buffer) error { return p.page(b, v) })
		tags := checkHTML(t, name, page)
		count := map[string]int{}
		for _, tag := range tags {
			count[tag.name]++
		}
		for _, one := range []string{"html", "title", "main", "h1", "nav"} {
			if count[one] != 1 {
				t.Errorf("%s has %d <%s>", name, count[one], one)
			}
		}
		if !strings.Contains(page, `<html lang="`+p.tags[p.language(v.Language)]+`"`) {
			t.Errorf("%s is in another language", name)
		}
	}
	work := sampleWork()
	checkHTML(t, "work", rendered(t, func(b *bytes.Buffer) error { return p.work(b, "en", &work) }))
	none := rendered(t, func(b *bytes.Buffer) error { return p.work(b, "zh-TW", nil) })
	if checkHTML(t, "no work", none); !strings.Contains(none, "已无法得知") {
		t.Error(none)
	}
}

// element is an opening tag.
type element struct {
	name  string
	attrs map[string]string
}

var (
	openTag   = regexp.MustCompile(`^<([a-z][a-z0-9-]*)((?:\s+[^\s=>"'/]+(?:="[^"]*"|='[^']*')?)*)\s*/?>`)
	attribute = regexp.MustCompile(`([^\s=>"'/]+)(?:="([^"]*)"|='([^']*)')?`)
	voids     = []string{"meta", "link", "img", "input", "br"}
)

// checkHTML holds that a page is well formed, and does nothing but by its own scripts.
func checkHTML(t *testing.T, name, html string) []element {
	t.Helper()
	var all []element
	var open []string
	ids := map[string]bool{}
	html = strings.TrimPrefix(html, "<!doctype html>")
	for at := strings.IndexByte(html, '<'); at >= 0; at = strings.IndexByte(html, '<') {
		html = html[at:]
		if closing, ok := strings.CutPrefix(html, "</"); ok {
			tag, rest, _ := strings.Cut(closing, ">")
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("%s: </%.40s> closes %v", name, tag, open)
			}
			open, html = open[:len(open)-1], rest
			continue
		}
		found := openTag.FindStringSubmatch(html)
		if found == nil {
			t.Fatalf("%s: no tag: %.80q", name, html)
		}
		html = html[len(found[0]):]
		e := element{found[1], map[string]string{}}
		for _, a := range attribute.FindAllStringSubmatch(found[2], -1) {
			e.attrs[a[1]] = a[2] + a[3]
		}
		if !strings.HasSuffix(found[0], "/>") && !slices.Contains(voids, e.name) {
			open = append(open, e.name)
		}
		checkElement(t, name, e)
		if id := e.attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("%s: two elements are called %s", name, id)
			}
			ids[id] = true
		}
		all = append(all, e)
	}
	if len(open) > 0 {
		t.Errorf("%s: %v are not closed", name, open)
	}
	return all
}

func checkElement(t *testing.T, name string, e element) {
	t.Helper()
	wrong := func(why string) { t.Errorf("%s: <%s %v>: %s", name, e.name, e.attrs, why) }
	for attr, value := range e.attrs {
		value = strings.ToLower(strings.TrimSpace(value))
		switch {
		case strings.HasPrefix(attr, "on") || attr == "style" || strings.HasPrefix(attr, "hx-on"):
			wrong("is inline")
		case slices.Contains([]string{"href", "src", "action", "data-src"}, attr) && strings.HasPrefix(value, "javascript:"):
			wrong("runs a script")
		case attr == "target" && e.attrs["rel"] != "noopener noreferrer":
			wrong("tells where it comes from")
		case attr == "hx-vals" && !json.Valid([]byte(strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(value))):
			wrong("is evaluated")
		}
	}
	_, alt := e.attrs["alt"]
	sandbox, framed := e.attrs["sandbox"]
	switch {
	case e.name == "xss-probe" || e.name == "style" || e.name == "object" || e.name == "embed" || e.name == "base":
		wrong("is here")
	case e.name == "script" && e.attrs["src"] == "":
		wrong("is inline")
	case e.name == "img" && !alt:
		wrong("has no alt")
	case e.name == "iframe" && (!framed || sandbox != "" || e.attrs["title"] == ""):
		wrong("is not kept apart, or has no title")
	case e.name == "button" && e.attrs["type"] == "" && e.attrs["value"] == "" && e.attrs["aria-label"] == "":
		wrong("has no type")
	}
}

var (
	saidInTemplate = regexp.MustCompile(`say "([^"]*)"`)
	saidInCode     = regexp.MustCompile(`say\("([^"]*)"`)
	templateAction = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	tagOrComment   = regexp.MustCompile(`(?s)<[^>]*>`)
	ownWords       = regexp.MustCompile(`(?:title|aria-label|placeholder|alt)="([^"]*)"`)
	letter         = regexp.MustCompile(`\pL`)
)

// Every word that the pages say is said in every language.
func TestWords(t *testing.T) {
	t.Parallel()
	var chinese map[string]any
	b, err := wordFiles.ReadFile("words/zh-Hans.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &chinese); err != nil {
		t.Fatal(err)
	}
	said := 0
	known := func(where string, found [][]string) {
		for _, f := range found {
			said++
			if chinese[f[1]] == nil {
				t.Errorf("%s: %q is not said in Chinese", where, f[1])
			}
		}
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := templateFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		known(name, saidInTemplate.FindAllStringSubmatch(string(b), -1))
		bare := templateAction.ReplaceAllString(string(b), "")
		for _, found := range ownWords.FindAllStringSubmatch(bare, -1) {
			if letter.MatchString(found[1]) {
				t.Errorf("%s: %q goes past the catalogue", name, found[0])
			}
		}
		text := strings.NewReplacer("Atelier", "", "·", "").Replace(tagOrComment.ReplaceAllString(bare, ""))
		if letter.MatchString(text) {
			t.Errorf("%s: %q goes past the catalogue", name, strings.TrimSpace(text))
		}
	}
	code, err := os.ReadFile("render_funcs.go")
	if err != nil {
		t.Fatal(err)
	}
	known("render_funcs.go", saidInCode.FindAllStringSubmatch(string(code), -1))
	if said < 100 {
		t.Errorf("only %d sentences were found", said)
	}
}

// What the scripts say is there to be said.
func TestScriptWords(t *testing.T) {
	t.Parallel()
	page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).page(b, sampleThread()) })
	scripts, err := fs.Glob(staticFiles, "static/*.js")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	calls := regexp.MustCompile(`word\("(\w+)"`)
	upper := regexp.MustCompile(`[A-Z]`)
	var all strings.Builder
	for _, name := range scripts {
		b, err := staticFiles.ReadFile(name)
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

func TestStatic(t *testing.T) {
	t.Parallel()
	p := mustPages(t)
	get := func(method, path, accept string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Header.Set("Accept-Encoding", accept)
		p.static().ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{
		"style.css": "text/css; charset=utf-8", "channel.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
		"vendor/htmx.min.js": "text/javascript; charset=utf-8", "point/point.js": "text/javascript; charset=utf-8",
	} {
		for _, accept := range []string{"", "gzip, br"} {
			r := get(http.MethodGet, p.folder()+"/"+path, accept)
			h := r.Header()
			if r.Code != http.StatusOK || h.Get("Content-Type") != want || h.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(h.Get("Cache-Control"), "immutable") || (h.Get("Content-Encoding") == "gzip") != (accept != "") {
				t.Errorf("%s: %d %v", path, r.Code, h)
			}
		}
	}
	for path, want := range map[string]int{
		p.folder() + "/vendor/VENDORED.md": 404, p.folder() + "/": 404, "/static/style.css": 404, "/static/0000000000000000/style.css": 404,
		p.folder() + "/../render.go": 404, p.folder() + "/vendor/htmx.LICENSE.txt": 404,
	} {
		if r := get(http.MethodGet, path, ""); r.Code != want {
			t.Errorf("%s: %d, want %d", path, r.Code, want)
		}
	}
	if r := get(http.MethodPost, p.folder()+"/style.css", ""); r.Code != http.StatusMethodNotAllowed {
		t.Error(r.Code)
	}
	if r := get(http.MethodHead, p.folder()+"/style.css", ""); r.Code != http.StatusOK || r.Header().Get("Content-Length") == "" || r.Body.Len() > 0 {
		t.Error(r.Code, r.Header())
	}
	if again := mustPages(t); again.hash != p.hash {
		t.Error("the same files have another hash")
	}
}

// What others wrote is what they published, and all of it is listed.
func TestVendored(t *testing.T) {
	t.Parallel()
	list, err := staticFiles.ReadFile("static/vendor/VENDORED.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(staticFiles, "static/vendor/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".md") {
			continue
		}
		b, err := staticFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		short := strings.TrimPrefix(name, "static/vendor/")
		listed := slices.ContainsFunc(strings.Split(string(list), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "|") && strings.Contains(line, " "+short+" ") && strings.Contains(line, hex.EncodeToString(sum[:]))
		})
		if !listed {
			t.Errorf("%s is not listed with its SHA-256, %x", short, sum)
		}
	}
}

func TestRenderText(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"":                                     "",
		"a\nb\n\nc":                            "<p>a<br>b</p><p>c</p>",
		"**a** *b* `c<d`":                      "<p><strong>a</strong> <em>b</em> <code>c&lt;d</code></p>",
		"- a\n  - b\n- c":                      "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>",
		"2. a\n3. b":                           `<ol start="2"><li>a</li><li>b</li></ol>`,
		"1. a\n   - b":                         "<ol><li>a<ul><li>b</li></ul></li></ol>",
		"> a\n> b":                             "<blockquote><p>a<br>b</p></blockquote>",
		"```go\nif a < b {}\n```":              `<pre tabindex="0"><code>if a &lt; b {}</code></pre>`,
		"[**a**](https://x.example/?a=1&b=\")": `<p>[<strong>a</strong>](https://x.example/?a=1&amp;b=&#34;)</p>`,
		"[**a**](https://x.example/?a=1&b=2)":  `<p><a href="https://x.example/?a=1&amp;b=2" rel="noopener noreferrer" target="_blank"><strong>a</strong></a></p>`,
		"[a](javascript:alert)":                "<p>[a](javascript:alert)</p>",
		"<b>":                                  "<p>&lt;b&gt;</p>",
		"\n\n":                                 "",
	} {
		if got := string(renderText(markdown)); got != want {
			t.Errorf("%q is %s, want %s", markdown, got, want)
		}
		checkHTML(t, markdown, string(renderText(markdown)))
	}
	if got := plainText("a <b>\r\n*c*\n"); got != "<p>a &lt;b&gt;<br>*c*</p>" {
		t.Error(got)
	}
}

func FuzzRenderText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("- a\n      - b\n  1. c\n> d\n```\n<e>")
	f.Fuzz(func(t *testing.T, text string) {
		checkHTML(t, "Markdown", string(renderText(text)))
		checkHTML(t, "text", string(plainText(text)))
	})
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 1234: "1.23 kB", 999_499: "999 kB", 999_600: "1 MB", 25_000_000: "25 MB", 3_000_000_000: "3 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0.0 s", 320 * time.Millisecond: "0.3 s", 12 * time.Second: "12 s", 125 * time.Second: "2:05 min", -1: ""} {
		if got := took(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
	for s, want := range map[string]string{"photo.png": "photo.png", "a\u202egnp.exe": "a\ufffdgnp.exe", "a\nb": "a\ufffdb", "港口😀": "港口😀", "\xff": "\ufffd"} {
		if got := displayName(s); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
}
