package jobs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestAcceptedTypesAreListedOnce for several unsupported files, with and without a supported one.
func TestAcceptedTypesAreListedOnce(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start(func(c *jobs.Config) {
		c.Inspect = func(_ context.Context, file string) (jobs.File, error) {
			if b, err := os.ReadFile(file); err != nil || strings.HasPrefix(string(b), "PNG") {
				return jobs.File{Type: plan.Image, Ext: ".png"}, err
			}
			return jobs.File{}, &plan.Fault{Sentence: plan.Sentences(plan.Say("No %q.", filepath.Base(file)), plan.Say("I take pictures."))}
		}
	})
	pdf, zip := h.chat.upload("a.pdf", "PDF"), h.chat.upload("b.zip", "ZIP")
	const told = `No "a.pdf". No "b.zip". I take pictures.`
	if got := h.told(h.ask(j, h.says("t", "ann", "blur", pdf, zip))); got != told {
		t.Errorf("the reply is %q", got)
	}
	if got := h.told(h.ask(j, h.says("t2", "ann", "blur", pdf, h.chat.upload("c.png", "PNG"), zip))); got != "Here it is.\n\nLeft out: "+told {
		t.Errorf("the reply is %q", got)
	}
}

// TestTooLongTextTakesNoSpace from the files after it.
func TestTooLongTextTakesNoSpace(t *testing.T) {
	t.Parallel()
	h := enter(t)
	j := h.start()
	var files []adapters.File
	for i := range 9 { // the last one exceeds the limit
		files = append(files, h.chat.upload(fmt.Sprintf("t%d.txt", i), strings.Repeat(string(rune('a'+i)), 1<<20-10)))
	}
	files = append(files, h.chat.upload("z.txt", "small"), h.chat.upload("a.png", "PNG a"))
	r := h.ask(j, h.says("t", "ann", "blur", files...))
	if given := h.planner.request(r.ID).Given; len(given) != 10 || given[8].File != "z.txt" || given[9].File != "a.png" {
		t.Errorf("%d are given", len(given))
	}
	if told := h.told(r); told != "Here it is.\n\nLeft out: These texts are too long: the limit is 8 MB in total." {
		t.Errorf("the reply is %q", told)
	}
}
