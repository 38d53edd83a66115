package web

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/drawing"
	"atelier/adapters/web/markup"
	"atelier/adapters/web/page"
	"atelier/agent/toolbox/slow"
)

// hostile is text that must be shown literally.
var hostile = []string{
	`<xss-probe>`, `"><xss-probe x="`, `'><xss-probe x='`, `</title></textarea></script><xss-probe>`, `<script>alert(1)</script>`,
	`javascript:alert(1)`, `" onclick="alert(1)" style="color:red`, `{{.}} ${1} %s %!d(x)`, "a\x00b\x1b[31m\u202egnp.exe\u2066", "<!-- <xss-probe> -->",
	`&lt;xss-probe&gt;`, "\xff\xfe<xss-probe>", strings.Repeat("<a href=x>", 200), strings.Repeat("字", 3000), `]]><xss-probe>`,
}

func TestHostileText(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	p := mustPages(t)
	for _, text := range hostile {
		for _, tag := range []string{"en", "zh-Hans"} {
			for name, v := range hostilePages(text) {
				v.Language = tag
				var b bytes.Buffer
				if err := p.Page(&b, v); err != nil {
					t.Fatal(err)
				}
				checkHTML(t, name, b.String())
			}
			work := hostileWork(text)
			checkHTML(t, "work", rendered(t, func(b *bytes.Buffer) error { return p.Work(b, tag, &work) }))
			checkHTML(t, "failure", rendered(t, func(b *bytes.Buffer) error { return p.Failure(b, tag, text) }))
			checkHTML(t, "messages", rendered(t, func(b *bytes.Buffer) error { return p.Messages(b, tag, hostileMessages(text)) }))
		}
	}
}

// TestChoicesHaveAHeadingThatIsTrue checks that the heading says whether something was done already.
func TestChoicesHaveAHeadingThatIsTrue(t *testing.T) {
	t.Parallel()
	p := mustPages(t)
	for _, c := range []struct {
		asks, picks    bool
		language, want string
	}{
		{false, false, "en", "Alternatives"}, {true, false, "en", "Choose one"}, {true, false, "zh-Hans", "请选择一项"},
		{false, true, "en", "Choose one to continue with"},
	} {
		m := page.Message{ID: "a", Asks: c.asks, Picks: c.picks, ActURL: "/act", Choices: []page.Choice{{Number: 1, Text: "blur it", Ready: true}}}
		page := rendered(t, func(b *bytes.Buffer) error { return p.Messages(b, c.language, []page.Message{m}) })
		if !strings.Contains(page, `<h3 class="choices-head">`+c.want+`</h3>`) || !strings.Contains(page, "<bdi>blur it</bdi>") {
			t.Errorf("where it asks is %v, the choices are shown as %s", c.asks, page)
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

func hostilePages(s string) map[string]page.View {
	v := page.View{Title: s, Me: adapters.Person{ID: s, Name: s}, CanLeave: true, Threads: []page.ThreadLine{{ID: s, Title: s, At: noon, Picture: s}}}
	thread, fresh, tools, missing := v, v, v, v
	gallery, found, tool, operations := v, v, v, v
	operations.Operations = &page.Operations{
		Queues: []page.Queue{{Name: s}}, Processes: []page.Process{{Name: s, Queues: []string{s, s}}},
		Servers: []page.Server{{Name: s, Kind: s, State: s, Why: s, Alone: []string{s}}}, Failures: []page.Failure{{Request: s, Platform: s, Why: s, Cause: s, Tools: []page.FailedTool{{Name: s, Cause: s}}}},
	}
	gallery.Gallery = &page.Gallery{Thread: s, Title: s, Results: []page.Result{{File: hostileMessages(s)[0].Files[0], Message: s, At: noon}}}
	found.Found = &page.Found{Query: s, Threads: []page.FoundThread{{ThreadLine: v.Threads[0], Message: s, Excerpt: s}}, Tools: []page.Tool{{Name: s, Description: s}}}
	thread.Thread = &page.Thread{ID: s, Title: s, Messages: hostileMessages(s)}
	fresh.Fresh, fresh.Wish, fresh.Examples = s, s, []page.Example{{Wish: s, Needs: s}}
	list := []page.Tool{{Name: s, Description: s, Domain: s, Takes: []string{s}, Makes: s, Examples: []string{s}, Live: true, By: s}, {Name: s, Domain: s, Why: s, Makes: s}}
	list[0].Try = &page.Example{Wish: s, Needs: s}
	tools.Tools = page.ListOf(s, list, list)
	tool.Tool = &list[0]
	missing.Missing = s
	return map[string]page.View{"thread": thread, "fresh": fresh, "tools": tools, "missing": missing, "gallery": gallery, "found": found, "tool": tool, "operations": operations}
}

func hostileMessages(s string) []page.Message {
	m := page.Message{
		ID: "m1", By: s, At: noon, Text: markup.Markdown(s), Language: s, Status: adapters.Status(s), ReplyTo: "m2",
		Choices:  []page.Choice{{Number: 1, Text: s, Ready: true, Mine: true}},
		CanAgain: true, CanStop: true, CanRemove: true, CanEdit: true, Edited: true, HasWork: true, WorkURL: s, ActURL: s, AllURL: s, Marks: []page.Mark{{Name: s, Points: 1}},
	}
	for _, kind := range []string{"image", "video", "audio", "page", "text", "other", s} {
		m.Files = append(m.Files, page.File{Name: s, Alt: s, Note: s, Size: 1, Kind: kind, Type: s, URL: s, Download: s, Mark: s, Use: s, Before: s})
	}
	plain := m
	plain.ID, plain.Text, plain.Mine = "m2", markup.Plain(s), true
	progress := page.Message{ID: "m3", By: "", ActURL: s, Progress: &adapters.Progress{Title: s, Steps: []adapters.ProgressStep{{Key: s, Text: s, State: adapters.StepState(s), Took: time.Second}}}}
	ended := progress
	ended.ID, ended.Progress = "m4", &adapters.Progress{Title: s, Ended: true, Steps: progress.Progress.Steps}
	return []page.Message{m, plain, progress, ended, {ID: "m5", By: s, Removed: true}}
}

func hostileWork(s string) drawing.Work {
	given := drawing.Flow{Name: s, Type: s, From: -1, Argument: s, Text: s}
	return drawing.Work{Steps: []drawing.Step{
		{Text: s, Model: s, State: adapters.StepState(s), Took: time.Second, Problem: s, Program: s, Takes: []drawing.Flow{given}, Makes: []drawing.Flow{{Name: s, Type: s}}},
		{Text: s, Takes: []drawing.Flow{{Type: s}, {Type: s, From: 99, Text: s}, {Type: s, From: 1}}},
	}}
}

// Every page and fragment has what browsers and screen readers need.
func TestStructure(t *testing.T) {
	t.Parallel()
	p := mustPages(t)
	for name, v := range map[string]page.View{"thread": sampleThread(), "empty": sampleEmpty(), "tools": sampleTools(), "tool": sampleTool(), "operations": sampleOperationsPage(), "gallery": sampleGallery(), "found": sampleFound(), "nothing": {Language: "zh-Hans"}} {
		page := rendered(t, func(b *bytes.Buffer) error { return p.Page(b, v) })
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
		if !strings.Contains(page, `<html lang="`+v.Language+`"`) {
			t.Errorf("%s is in another language", name)
		}
	}
	work := sampleWork()
	shown := rendered(t, func(b *bytes.Buffer) error { return p.Work(b, "en", &work) })
	if checkHTML(t, "work", shown); strings.Count(shown, "<pre") != 1 || !strings.Contains(shown, "save(OUT &#43; &#34;/grid.png&#34;)  # &amp; &lt;b&gt;</code></pre>") {
		t.Error(shown)
	}
	none := rendered(t, func(b *bytes.Buffer) error { return p.Work(b, "zh-TW", nil) })
	if checkHTML(t, "no work", none); !strings.Contains(none, "没有为此运行任何工具") {
		t.Error(none)
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
		if got := string(markup.Markdown(markdown)); got != want {
			t.Errorf("%q is %s, want %s", markdown, got, want)
		}
		checkHTML(t, markdown, string(markup.Markdown(markdown)))
	}
	if got := markup.Plain("a <b>\r\n*c*\n"); got != "<p>a &lt;b&gt;<br>*c*</p>" {
		t.Error(got)
	}
}

func FuzzRenderText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("- a\n      - b\n  1. c\n> d\n```\n<e>")
	f.Fuzz(func(t *testing.T, text string) {
		checkHTML(t, "Markdown", string(markup.Markdown(text)))
		checkHTML(t, "text", string(markup.Plain(text)))
	})
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 1234: "1.23 kB", 999_499: "999 kB", 999_600: "1 MB", 25_000_000: "25 MB", 3_000_000_000: "3 GB"} {
		if got := markup.Size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0.0 s", 320 * time.Millisecond: "0.3 s", 12 * time.Second: "12 s", 125 * time.Second: "2:05 min", -1: ""} {
		if got := adapters.FormatDuration(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
	for s, want := range map[string]string{"photo.png": "photo.png", "a\u202egnp.exe": "a\ufffdgnp.exe", "a\nb": "a\ufffdb", "港口😀": "港口😀", "\xff": "\ufffd"} {
		if got := markup.Name(s); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
}
