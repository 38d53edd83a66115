package improvise

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// TestAnswers checks that the model is told what is wrong with its answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	with := func(p program) string {
		if p.Source == "" {
			p.Source = fine
		}
		return p.String()
	}
	settings := func(s ...setting) string { return with(program{Settings: s}) }
	checks := func(measure, value string) string { return with(program{Checks: []check{{measure, value}}}) }
	number := setting{Name: "n", Type: "number", Value: "1"}
	for _, c := range []struct{ name, answer, want string }{
		{"fine", with(program{}), ""},
		{"in a fence", "```json\n" + with(program{}) + "\n```", ""},
		{"in a bare fence", " ```\n" + with(program{}) + "```\n", ""},
		{"empty", "", "not one JSON object"},
		{"words", "Here you are.", "not one JSON object"},
		{"two objects", with(program{}) + with(program{}), "not one JSON object"},
		{"a list", "[" + with(program{}) + "]", "not one JSON object"},
		{"null", "null", "the program is empty"},
		{"a number as a value", `{"checks":[{"measure":"width","value":3}],"program":"x"}`, "not one JSON object"},
		{"no program", `{"program":" \n"}`, "the program is empty"},
		{"a refusal of spaces", `{"refusal":" ","program":""}`, "the program is empty"},
		{"too long", with(program{Source: strings.Repeat("#", mostSource+1)}), "at most 32768"},
		{"too many settings", settings(number, number, number, number, number, number, number), "there are 7 settings"},
		{"a setting in capitals", settings(setting{Name: "Width", Type: "text"}), `"Width" has no name of its own`},
		{"a setting without a name", settings(setting{Type: "text"}), `"" has no name of its own`},
		{"a setting that is code", settings(setting{Name: "a']; x", Type: "text"}), "has no name of its own"},
		{"a setting twice", settings(number, number), `"n" has no name of its own`},
		{"a setting of an odd type", settings(setting{Name: "n", Type: "size"}), `of the type "size"`},
		{"a number in words", settings(setting{Name: "n", Type: "number", Value: "ten"}), `its value is "ten"`},
		{"no number", settings(setting{Name: "n", Type: "number", Value: "NaN"}), `its value is "NaN"`},
		{"an endless number", settings(setting{Name: "n", Type: "number", Value: "-Inf"}), `its value is "-Inf"`},
		{"an unknown measure", checks("beauty", "5"), `the check "beauty" cannot have the value "5"`},
		{"a width in words", checks("width", "wide"), `"width" cannot have the value "wide"`},
		{"a negative height", checks("height", "-1"), `"height" cannot`},
		{"endless seconds", checks("seconds", "inf"), `"seconds" cannot`},
		{"pages that are no number", checks("pages", "nan"), `"pages" cannot`},
		{"a sound that is neither yes nor no", checks("sound", "loud"), `"sound" cannot`},
		{"a limit without a value", checks("most_bytes", ""), `"most_bytes" cannot`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := parse(c.answer)
			if c.want == "" {
				if err != nil || p.Source != fine {
					t.Errorf("got %+v, %v", p, err)
				}
				return
			}
			if _, ok := errors.AsType[complaint](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the model is told: %v", err)
			}
		})
	}
	t.Run("and goes back to it", func(t *testing.T) {
		t.Parallel()
		if got := told(t, jobFor(t, plan.Text), "Here you are.", answer(fine)); !strings.Contains(got, "not one JSON object") {
			t.Errorf("the model is told: %s", got)
		}
	})
}

func TestAnswersAreTidied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ about, want string }{
		{" a table. ", "a table"}, {"a table. .\t.", "a table"}, {strings.Repeat("long ", 50), ""},
	} {
		if p, err := parse(program{About: c.about, Source: fine}.String()); err != nil || p.About != c.want {
			t.Errorf("%q becomes %q, %v", c.about, p.About, err)
		}
	}
	p, err := parse(program{Refusal: strings.Repeat("ü", 1000)}.String())
	if err != nil || len(p.Refusal) > mostRefusal+len("…") || !strings.HasSuffix(p.Refusal, "ü…") {
		t.Errorf("a refusal of %d bytes, %v", len(p.Refusal), err)
	}
	if Source("no program") != "" || Source(answer(fine)) != fine {
		t.Error("the source of a stored program is another one")
	}
}

// FuzzParse: an answer is a complaint, or a program that can be stored, read again and run.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", "```json\n{}\n```", `{"refusal":"no"}`, answer(fine, check{"width", "40"}),
		`{"about":"a. .","settings":[{"name":"n","type":"number","value":"1e400"}],"program":"x"}`,
		`{"settings":[{"name":"n","type":"number","value":"0x1p-2"}],"checks":[{"measure":"files","value":"1e300"}],"program":"x"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		p, err := parse(answer)
		if err != nil {
			if _, ok := errors.AsType[complaint](err); !ok {
				t.Errorf("got %v", err)
			}
			return
		}
		if again, err := parse(p.String()); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v is read again as %+v, %v", p, again, err)
		}
		if p.Refusal != "" {
			return
		}
		if _, err := json.Marshal(p.values()); err != nil {
			t.Error(err)
		}
		if strings.TrimSpace(p.Source) == "" || len(p.Source) > mostSource || len(p.Settings) > mostSettings {
			t.Errorf("taken is %+v", p)
		}
		for _, c := range p.Checks {
			if c.miss([]result{{path: "a", typ: plan.Text, text: "x"}}) == "" && c.check() != nil {
				t.Errorf("the check %+v holds and cannot be measured", c)
			}
		}
	})
}
