package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/page"
)

// Who reads Chinese reads the names of domains and types in it.
func TestTermsAreTranslated(t *testing.T) {
	t.Parallel()
	v := sampleTools()
	v.Language = "zh-Hans"
	page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).Page(b, v) })
	for _, want := range []string{">图像理解</h2>", `<span class="type">蒙版</span>`, `<span class="type">边缘图</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestFindTool(t *testing.T) {
	t.Parallel()
	_, address := newStage(t, sampleTools())
	p := browsertest.Start(t).Page(t, browsertest.Look{})
	p.Open(address + "/")
	for typed, want := range map[string]string{
		"":    "edge_detection image_captioning mask_image text_to_speech noise weather_report",
		"ask": "", "mask": "mask_image", "pic edge": "edge_detection", "edge_det": "edge_detection", "缘画": "edge_detection", "AUDIO": "text_to_speech noise",
	} {
		got := browsertest.Eval[string](p, fmt.Sprintf(`(() => { const f = document.getElementById("find"); f.value = %q; f.dispatchEvent(new Event("input"));
			return [...document.querySelectorAll(".tool h3")].filter((t) => t.checkVisibility()).map((t) => t.textContent).join(" "); })()`, typed))
		if got != want {
			t.Errorf("%q finds %q", typed, got)
		}
		if none := browsertest.Eval[bool](p, `!document.getElementById("found-none").hidden`); none != (want == "") {
			t.Errorf("%q: that there is none is told: %v", typed, none)
		}
	}
}

// The list of threads is told of changes beside the tools, and on the empty page.
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
