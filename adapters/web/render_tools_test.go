package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/page"
)

// Chinese pages have Chinese names of domains and types.
func TestTermsAreTranslated(t *testing.T) {
	t.Parallel()
	list, tool := sampleTools(), sampleTools()
	tool.Tool = &tool.Tools.Tools[2]
	for want, v := range map[string]page.View{"<h2>图像理解</h2>": list, `<span class="type">蒙版</span>`: tool} {
		v.Language = "zh-Hans"
		if page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).Page(b, v) }); !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// sampleTool is the page of one tool.
func sampleTool() page.View {
	v := sampleTools()
	v.Tool = &v.Tools.Tools[0]
	return v
}

// sampleToolsFound is the open list of tools that match a query.
func sampleToolsFound() page.View {
	v := sampleTools()
	v.Tools.Query = "e"
	return v
}

// TestToolsAreLoaded checks that the tools page loads search results and the details of a tool on demand, and that
// a tool can be tried in one click.
func TestToolsAreLoaded(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleTools())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/tools")
	const seen = `[...document.querySelectorAll(".tool-name")].filter((t) => t.checkVisibility()).map((t) => t.textContent).join(" ")`
	if got := browsertest.Eval[string](p, seen); got != "" {
		t.Errorf("%s are shown before anybody looks", got)
	}
	find := func(typed string) {
		p.Script(fmt.Sprintf(`(() => { const f = document.getElementById("find"); f.value = %q; f.dispatchEvent(new Event("input", {bubbles: true})); })()`, typed))
	}
	find("zebra")
	p.Wait(`document.getElementById("found-none")?.textContent === "No tool matches."`)
	find("edge")
	p.Wait(seen + ` === "edge detection"`)
	if n := browsertest.Eval[int](p, `document.querySelectorAll(".tool-body").length`); n != 0 {
		t.Errorf("%d tools are loaded", n)
	}
	click(p, "[data-tool]")
	p.Wait(`document.querySelector(".tool-body .wishes") && document.querySelector("[data-tool]").ariaExpanded === "true"`)
	p.Screenshot("tool-open")
	click(p, "[data-tool]")
	p.Wait(`!document.querySelector(".tool-body")`)
	click(p, "[data-tool]")
	p.Wait(`document.querySelector("[data-run]")`)
	s.view = func(string) page.View { return sampleEmpty() }
	click(p, "[data-run]")
	if to := <-s.visited; to != "/" {
		t.Error(to)
	}
	if up := s.next(t); up.path != "POST /t/fresh0000000000000/files" || up.form.Get("name") != "harbour.jpg" || len(up.body) < 1000 {
		t.Errorf("%s %v", up.path, up.form)
	}
	if sent := s.next(t); sent.form.Get("text") != "Show me the edges" || sent.form.Get("file") != "up-harbour.jpg" {
		t.Error(sent)
	}
}

// The list of threads is updated on the tools page and on the empty page.
func TestListOfThreadsIsAlive(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]page.View{"tools": sampleTools(), "empty": sampleEmpty()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, address := newStage(t, view)
			p := browsertest.Start(t).Page(t, browsertest.Look{})
			p.Open(address + "/")
			s.send("threads", rendered(t, func(b *bytes.Buffer) error {
				return s.pages.Threads(b, "en", []page.ThreadLine{{ID: "t9", Title: "Only one", At: noon}})
			}))
			p.Wait(`document.querySelectorAll("#threads li").length === 1 && document.querySelector("#threads bdi").textContent === "Only one"`)
		})
	}
}

// TestExampleInOneClick checks that one click runs an example with a sample file, and does not overwrite a draft.
func TestExampleInOneClick(t *testing.T) {
	t.Parallel()
	s, address := newStage(t, sampleEmpty())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/")
	write(p, "my own words")
	click(p, ".example-run")
	p.Wait(`document.getElementById("trouble").textContent === "Send or clear what you wrote first."`)
	click(p, ".example-own")
	p.Wait(`document.getElementById("text").value === "my own words"`)
	write(p, "")
	click(p, ".example-own")
	p.Wait(`document.getElementById("text").value && document.getElementById("trouble").textContent === ""`)
	click(p, ".example-own") // what was filled in is no draft
	p.Wait(`document.getElementById("trouble").textContent === ""`)
	write(p, "")
	click(p, `[data-run^="Cut out"]`)
	if up := s.next(t); up.path != "POST /t/fresh0000000000000/files" || up.form.Get("name") != "harbour.mp4" {
		t.Errorf("%s %v", up.path, up.form)
	}
	if sent := s.next(t); sent.path != "POST /t/fresh0000000000000/messages" || sent.form.Get("file") != "up-harbour.mp4" || !strings.HasPrefix(sent.form.Get("text"), "Cut out") {
		t.Error(sent)
	}
	if to := <-s.visited; to != "/t/fresh0000000000000" {
		t.Error(to)
	}
}
