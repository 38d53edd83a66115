package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/adapters/messages"
)

// Tools that can run come first, and so do their domains.
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

func TestTypesAreTranslated(t *testing.T) {
	t.Parallel()
	p := somePages(t)
	say := speaker(func(format string, args ...any) string {
		return p.Words.Say(messages.SimplifiedChinese, format, args...)
	})
	for _, kind := range []string{"text", "tags", "title", "html", "location", "weather", "time", "image", "video", "audio", "bbox", "point", "category", "mask",
		"segmentation", "edge", "line", "hed", "scribble", "pose", "depth", "normal"} {
		if say.term(kind) == kind {
			t.Errorf("%s is not said in Chinese", kind)
		}
	}
}

// A request that may be tried is shown in people's language where the catalogue has it, else as it is.
func TestRequestsAreTranslated(t *testing.T) {
	t.Parallel()
	p := somePages(t)
	for wish, shown := range map[string]string{"make it black and white": "把它变成黑白", "make it 50% smaller": "make it 50% smaller"} {
		var b strings.Builder
		try := &Example{Wish: wish}
		if err := p.Tool(&b, messages.SimplifiedChinese, Tool{Name: "a", Live: true, Try: try}); err != nil {
			t.Fatal(err)
		}
		if html := b.String(); !strings.Contains(html, `data-run="`+wish+`"`) || !strings.Contains(html, ">"+shown+"</bdi>") {
			t.Errorf("%s is shown as %s", wish, html)
		}
	}
}
