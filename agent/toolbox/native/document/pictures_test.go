package document

import (
	"math"
	"testing"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

func TestPaper(t *testing.T) {
	t.Parallel()
	const a4Wide, a4High = 595.28, 841.89
	for name, c := range map[string]struct {
		paper, orientation string
		width, height      int
		page, lies         rectangle
	}{
		"as the picture":     {"", "", 400, 200, rectangle{w: 842, h: 421}, rectangle{w: 842, h: 421}},
		"wide pages":         {"", "landscape", 200, 200, rectangle{w: a4High, h: a4Wide}, rectangle{(a4High - a4Wide) / 2, 0, a4Wide, a4Wide}},
		"upright pages":      {"a4", "portrait", 400, 200, rectangle{w: a4Wide, h: a4High}, rectangle{0, (a4High - a4Wide/2) / 2, a4Wide, a4Wide / 2}},
		"paper by direction": {"letter", "", 400, 100, rectangle{w: 792, h: 612}, rectangle{0, 207, 792, 198}},
	} {
		call := toolbox.Call{Params: map[string]param.Value{}}
		for name, said := range map[string]string{"paper": c.paper, "orientation": c.orientation} {
			p := param.Param{Name: name, Type: param.Choice, Choices: map[string][]string{"a4": nil, "letter": nil, "portrait": nil, "landscape": nil}}
			if v, err := p.Read(said); err == nil {
				call.Params[name] = v
			}
		}
		page, lies := paperOf(call, c.width, c.height)
		if !near(page, c.page) || !near(lies, c.lies) {
			t.Errorf("%s: %v on %v, want %v on %v", name, lies, page, c.lies, c.page)
		}
	}
}

func near(a, b rectangle) bool {
	return math.Abs(a.x-b.x)+math.Abs(a.y-b.y)+math.Abs(a.w-b.w)+math.Abs(a.h-b.h) < 0.1
}
