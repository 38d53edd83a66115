package web

import (
	"os"
	"testing"

	"atelier/adapters/web/browsertest"
	"atelier/adapters/web/page"
)

// TestAxe checks that axe finds nothing wrong with the pages. AXE is the path of its axe.min.js.
func TestAxe(t *testing.T) {
	t.Parallel()
	path := os.Getenv("AXE")
	if path == "" {
		t.Skip("AXE names no axe.min.js, of npm's package axe-core")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	for name, view := range samplePages() {
		for _, look := range []browsertest.Look{{}, {Dark: true}, {Width: 390, Height: 844, Touch: true}} {
			_, address := newStage(t, view)
			p := b.Page(t, look)
			p.Expect("404") // of a file that is gone
			p.Open(address + "/")
			p.Script(string(axe))
			found := browsertest.Eval[[]string](p, `axe.run({iframes: false}).then(({violations}) => violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")))`)
			for _, v := range found {
				t.Errorf("%s, dark %v, phone %v: %s", name, look.Dark, look.Touch, v)
			}
		}
	}
}

// samplePages are a page of each kind.
func samplePages() map[string]page.View {
	missing := samplePage()
	missing.Missing = "This thread was deleted."
	return map[string]page.View{"thread": sampleThread(), "empty": sampleEmpty(), "tools": sampleTools(), "tool": sampleTool(), "tools-found": sampleToolsFound(), "missing": missing, "operations": sampleOperationsPage(), "gallery": sampleGallery(), "found": sampleFound()}
}
