package program

import (
	"strings"
	"testing"

	"atelier/agent/plan"
)

func TestPagesAreStamped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool string
		args args
		want []string // of each page, beside its own line
	}{
		"across":          {"stamp_pdf", args{"text": "DRAFT"}, []string{"DRAFT", "DRAFT", "DRAFT"}},
		"at the foot":     {"stamp_pdf", args{"text": "Internal – Łódź", "place": "bottom"}, []string{"Internal – Łódź", "Internal – Łódź", "Internal – Łódź"}},
		"one page":        {"stamp_pdf", args{"text": "COPY", "pages": "page 2"}, []string{"", "COPY", ""}},
		"option-like":     {"stamp_pdf", args{"text": "--empty (100%) \\ '", "place": "top"}, []string{"--empty (100%) \\ '", "--empty (100%) \\ '", "--empty (100%) \\ '"}},
		"numbers":         {"number_pages", args{}, []string{"1", "2", "3"}},
		"a part":          {"number_pages", args{"pages": "2-3"}, []string{"", "2", "3"}},
		"behind a cover":  {"number_pages", args{"pages": "2-3", "first": "1"}, []string{"", "1", "2"}},
		"numbers from 21": {"number_pages", args{"first": "21", "style": "of all", "place": "top"}, []string{"21 / 23", "22 / 23", "23 / 23"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.args["document"] = three(t)
			out := done(t, c.tool, c.args)
			own := []string{"First page", "Second page", "Third page"}
			got := texts(t, out.Path)
			if len(got) != len(own) {
				t.Fatalf("there are %d pages", len(got))
			}
			for i, page := range got {
				rest := strings.TrimSpace(strings.Replace(page, own[i], "", 1))
				if c.args["place"] == nil && c.tool == "stamp_pdf" { // the letters of turned words come one by one
					rest = strings.Join(strings.Fields(rest), "")
				}
				if !strings.Contains(page, own[i]) || rest != c.want[i] {
					t.Errorf("page %d says %q, want %q beside %q", i+1, page, c.want[i], own[i])
				}
			}
		})
	}
}

func TestStampHasItsColour(t *testing.T) {
	t.Parallel()
	stamped := done(t, "stamp_pdf", args{"document": three(t), "text": "DRAFT", "colour": "red"})
	img := readPicture(t, done(t, "pdf_to_images", args{"document": fileOf(plan.Document, stamped.Path), "pages": "1"}).Path)
	reddish := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r > 0xf000 && g < 0xc000 && b < 0xc000 {
				reddish++
			}
		}
	}
	if reddish < 1000 {
		t.Errorf("%d pixels are reddish", reddish)
	}
}

func TestStampsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"no text":      {args{"text": " \n"}, "A stamp is a line"},
		"a long text":  {args{"text": strings.Repeat("long ", 40)}, "at most 100 letters"},
		"no such page": {args{"text": "COPY", "pages": "page 9"}, "There is no page 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.args["document"] = three(t)
			holds(t, refused(t, "stamp_pdf", c.args), c.want)
		})
	}
}
