package evaluate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestJudge judges the plans in testdata/judge, one file per rule. A file has a request, its judgement, and plans in
// the notation of readPlan. "want:" lists the expected properties of a plan, "why:" a part of an expected reason.
func TestJudge(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/judge/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			parts := sections(t, file)
			if len(parts) < 3 || parts[0].name != "request" || parts[1].name != "gold" {
				t.Fatal("the file needs a request, its gold, and plans")
			}
			c := readCase(t, parts[0].text, parts[1].text)
			for _, p := range parts[2:] {
				t.Run(p.name, func(t *testing.T) { judgePlan(t, c, p.text) })
			}
		})
	}
}

// section is a part of a case file that begins with a line "-- name --".
type section struct{ name, text string }

func sections(t *testing.T, file string) []section {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	for line := range strings.Lines(string(b)) {
		name, marked := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if marked && strings.HasSuffix(name, " --") {
			all = append(all, section{name: strings.TrimSuffix(name, " --")})
		} else if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return all
}

func readCase(t *testing.T, request, gold string) Case {
	t.Helper()
	cases, err := ReadCases(
		Input{"request", strings.NewReader("[" + request + "]")},
		Input{"gold", strings.NewReader(strings.ReplaceAll(gold, "\n", " "))})
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

func judgePlan(t *testing.T, c Case, text string) {
	t.Helper()
	v := judge(c, readPlan(t, text), nil)
	said := strings.Join(v.why, "\n")
	for line := range strings.Lines(text) {
		if want, ok := strings.CutPrefix(line, "want:"); ok {
			if got, want := v.flags(), "["+strings.TrimSpace(want)+"]"; got != want {
				t.Errorf("properties %s, want %s; reasons:\n%s", got, want, said)
			}
		}
		if why, ok := strings.CutPrefix(line, "why:"); ok && !strings.Contains(said, strings.TrimSpace(why)) {
			t.Errorf("no reason contains %q:\n%s", strings.TrimSpace(why), said)
		}
	}
	if v.solved && v.necessary && !v.irrelevant && !v.hallucinated && v.coherent && len(v.why) > 0 {
		t.Errorf("a correct plan has reasons:\n%s", said)
	}
}

// TestCatalogueDecidesTypes checks that types come from the catalogue, not from the plan.
func TestCatalogueDecidesTypes(t *testing.T) {
	t.Parallel()
	tools := toolbox.NewCatalogue([]toolbox.Tool{{
		Name: "mask_image", Returns: plan.Image,
		Args: []toolbox.Arg{{Name: "image", Type: plan.Image}, {Name: "mask", Type: plan.Mask}, {Name: "colour", Type: plan.Text, Optional: true}},
	}})
	for _, c := range []struct{ name, plan, why string }{
		{"as the catalogue says", "task image\n mask_image image:image=a.png mask:mask=b.png -> image", ""},
		{"another type", "task image\n mask_image image:image=a.png mask:image=a.png -> image", "takes a.png of type image"},
		{"an argument too few", "task image\n mask_image image:image=a.png -> image", `missing argument "mask"`},
		{"an argument too many", "task image\n mask_image image:image=a.png mask:mask=b.png size:text=\"big\" -> image", `unknown argument "size"`},
		{"another return", "task image\n mask_image image:image=a.png mask:mask=b.png -> mask", "should return mask"},
		{"no such tool", "task image\n paint image:image=a.png -> image", "is not in the catalogue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := verdict{}
			r := plan.Request{Given: []plan.Resource{{Name: "a.png", Type: plan.Image}, {Name: "b.png", Type: plan.Mask}}}
			v.arguments(r, readPlan(t, c.plan).plan, tools)
			if v.coherent != (c.why == "") || !strings.Contains(strings.Join(v.why, "\n"), c.why) {
				t.Errorf("well typed: %v; reasons %q, want %q", v.coherent, v.why, c.why)
			}
		})
	}
}

// TestFormerToolNames checks that a judgement may use a former name of a tool.
func TestFormerToolNames(t *testing.T) {
	t.Parallel()
	c := Case{Gold: &Gold{Goals: []Goal{{Want: "a blur", Returns: []plan.Type{plan.Image}, Accept: [][]string{{"soften"}}}}}}
	p := readPlan(t, "task image\n blur image:image=x.png -> image")
	for want, alias := range map[bool][]string{true: {"soften"}, false: nil} {
		tools := toolbox.NewCatalogue([]toolbox.Tool{{
			Name: "blur", Alias: alias, Args: []toolbox.Arg{{Name: "image", Type: plan.Image}}, Returns: plan.Image,
		}})
		if v := judge(c, p, tools); v.solved != want {
			t.Errorf("former names %q: solved is %v (%q)", alias, v.solved, v.why)
		}
	}
}
