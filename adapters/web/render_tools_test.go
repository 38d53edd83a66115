package web

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/phrase"
	"atelier/adapters/web/browsertest"
)

// What can run comes first, of the domains and of the tools in each.
func TestToolsThatRunComeFirst(t *testing.T) {
	t.Parallel()
	var got []string
	plain := speaker(fmt.Sprintf)
	for _, d := range plain.domains([]Tool{{Name: "a", Domain: "far"}, {Name: "b", Domain: "image-perception"}, {Name: "c", Domain: "image-perception", Live: true}, {Name: "d", Domain: "near%s", Live: true}}) {
		got = append(got, d.Name)
		for _, tool := range d.Tools {
			got = append(got, tool.Name)
		}
	}
	if want := []string{"image perception", "c", "b", "near%s", "d", "far", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Who reads Chinese reads the names of domains and types in it.
func TestTermsAreTranslated(t *testing.T) {
	t.Parallel()
	v := sampleTools()
	v.Language = phrase.SimplifiedChinese
	page := rendered(t, func(b *bytes.Buffer) error { return mustPages(t).page(b, v) })
	words := mustPages(t).words
	say := speaker(func(format string, args ...any) string { return words.Say(v.Language, format, args...) })
	for _, want := range []string{">图像理解</h2>", `<span class="type">蒙版</span>`, `<span class="type">边缘图</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, kind := range []string{"text", "tags", "title", "html", "location", "weather", "time", "image", "video", "audio", "bbox", "point", "category", "mask",
		"segmentation", "edge", "line", "hed", "scribble", "pose", "depth", "normal"} {
		if say.term(kind) == kind {
			t.Errorf("%s is not said in Chinese", kind)
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
	for name, view := range map[string]pageView{"tools": sampleTools(), "empty": sampleEmpty()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, address := newStage(t, view)
			p := browsertest.Start(t).Page(t, browsertest.Look{})
			p.Open(address + "/")
			s.send("threads", rendered(t, func(b *bytes.Buffer) error {
				return s.pages.threads(b, "en", []threadLine{{ID: "t9", Title: "Only one", At: noon}})
			}))
			p.Wait(`document.querySelectorAll("#threads li").length === 1 && document.querySelector("#threads bdi").textContent === "Only one"`)
		})
	}
}
