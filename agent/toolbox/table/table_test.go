package table

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

var staff = Table{
	Columns: []string{"name", "role", "Unit Price"},
	Rows:    [][]string{{"Ann", "engineer", "1,200"}, {"Bob", "designer", "950.5"}, {"Cy", "", "87"}},
}

func TestRead(t *testing.T) {
	t.Parallel()
	small := Table{Columns: []string{"a", "b"}, Rows: [][]string{{"1", "x"}, {"2", "y z"}}}
	for name, tt := range map[string]struct {
		text string
		want Table
	}{
		"commas":           {"a,b\n1,x\n2,y z\n", small},
		"semicolons":       {"a;b\r\n1;x\r\n2;y z", small},
		"tabs":             {"a\tb\n1\tx\n2\ty z", small},
		"byte order mark":  {"\uFEFFa,b\n1,x\n2,y z\n", small},
		"decimal commas":   {"a;b\n1,5;2,5\n3,5;4,5", Table{[]string{"a", "b"}, [][]string{{"1,5", "2,5"}, {"3,5", "4,5"}}, ""}},
		"quotes":           {"a,b\n\"x, y\",\"he said \"\"no\"\"\"\n1,2", Table{[]string{"a", "b"}, [][]string{{"x, y", `he said "no"`}, {"1", "2"}}, ""}},
		"Markdown":         {"Look:\n\n| a | b |\n|---|:-:|\n| 1 | x |\n| 2 | y z |\n\nThat is all.", small},
		"Markdown escapes": {"a | b\n--- | ---\nx \\| y | 1<br>2", Table{[]string{"a", "b"}, [][]string{{"x | y", "1\n2"}}, ""}},
		"JSON objects":     {`[{"a": 1, "b": "x"}, {"b": "y z", "a": 2}]`, small},
		"JSON lists":       {`[["a","b"],[1,"x"],[2,"y z"]]`, small},
		"JSON lines":       {"{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y z\"}\n", small},
		"JSON in one key":  {`{"rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y z"}]}`, small},
		"JSON values":      {`[{"a": null, "b": {"c": [1, 2]}, "d": 12345678901234567890}]`, Table{[]string{"a", "b", "d"}, [][]string{{"", `{"c":[1,2]}`, "12345678901234567890"}}, ""}},
		"YAML":             {"- a: 1\n  b: x\n- a: 2\n  b: y z\n", small},
		"YAML in one key":  {"rows:\n  - a: 1\n    b: x\n  - {a: 2, b: y z}\n", small},
		"missing cells":    {"a,b,c\n1,2,3\n4\n5,6,7", Table{[]string{"a", "b", "c"}, [][]string{{"1", "2", "3"}, {"4", "", ""}, {"5", "6", "7"}}, ""}},
		"missing names":    {"a,,a\n1,2,3", Table{[]string{"a", "column 2", "a 2"}, [][]string{{"1", "2", "3"}}, ""}},
	} {
		got, err := Read(tt.text)
		got.From = ""
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestReadPairs(t *testing.T) {
	t.Parallel()
	want := [][]string{{"Mon", "3"}, {"Tue", "5.5"}, {"Ash Wednesday", "-4"}}
	for _, text := range []string{"Mon 3, Tue 5.5, Ash Wednesday -4", "Mon: 3; Tue: 5.5; Ash Wednesday: -4", "Mon = 3\nTue = 5.5\nAsh Wednesday = -4\n", "Mon 3, Tue 5.5 and Ash Wednesday -4"} {
		got, err := Read(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got.Rows); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for _, text := range []string{"Mon 3", "3, 5, 7", "Mon 3, Tuesday", "Mon 3,5; Tue"} {
		if got, err := Read(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                        "There is no table",
		" \n ":                    "There is no table",
		"Just a text.":            "This text is not a table",
		"One line.\nAnother one.": "This text is not a table",
		`{"a": 1,`:                "The JSON is damaged",
		"[1, 2, 3]":               "This text is not a table",
		strings.Repeat("a,", 1500) + "\n" + strings.Repeat("1,", 1500): "too large",
	} {
		_, err := Read(text)
		if f, ok := errors.AsType[*plan.Fault](err); !ok || !strings.Contains(f.Sentence.String(), says) {
			t.Errorf("%.20q: %v, not %q", text, err, says)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	odd := Table{Columns: []string{"id", "say"}, Rows: [][]string{{"007", "a, \"b\" | <c>"}, {"-1.5", "true"}}}
	for format, want := range map[Format]string{
		CSV:      "id,say\n007,\"a, \"\"b\"\" | <c>\"\n-1.5,true",
		TSV:      "id\tsay\n007\t\"a, \"\"b\"\" | <c>\"\n-1.5\ttrue",
		JSON:     "[\n  {\n    \"id\": \"007\",\n    \"say\": \"a, \\\"b\\\" | <c>\"\n  },\n  {\n    \"id\": -1.5,\n    \"say\": true\n  }\n]",
		Markdown: "| id | say |\n| ---: | --- |\n| 007 | a, \"b\" \\| <c> |\n| -1.5 | true |",
		YAML:     "- id: \"007\"\n  say: a, \"b\" | <c>\n- id: -1.5\n  say: true",
	} {
		got, err := odd.Write(format)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", format, err, diff)
		}
		read := Table{odd.Columns, odd.Rows, format}
		if back, err := Read(got); err != nil || !cmp.Equal(read, back) {
			t.Errorf("%s is read as %v, %v", format, back, err)
		}
	}
	if _, err := odd.Write("xlsx"); err == nil {
		t.Error("a table is written as xlsx")
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]float64{
		"12": 12, " -3.5 ": -3.5, "1,200": 1200, "1,200.50": 1200.5, "1.200,50": 1200.5, "3,5": 3.5, "$5": 5, "€ 1,000": 1000,
		"15 %": 15, "(3)": -3, "1e3": 1000, "1 000": 1000, "+2": 2, "0,123": 0.123,
	} {
		if got, ok := Number(cell); !ok || got != want {
			t.Errorf("%q is %v, %t", cell, got, ok)
		}
	}
	for _, cell := range []string{"", "abc", "12 kg", "1,2,3", "2024-01-02", "NaN", "Inf", "1,20,000.5", "--", "%"} {
		if got, ok := Number(cell); ok {
			t.Errorf("%q is read as %v", cell, got)
		}
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	names := func(of Table) string {
		var all []string
		for _, row := range of.Rows {
			all = append(all, row[0])
		}
		return strings.Join(all, " ")
	}
	for _, tt := range []struct {
		column     int
		descending bool
		want       string
	}{{0, false, "Ann Bob Cy"}, {0, true, "Cy Bob Ann"}, {1, false, "Bob Ann Cy"}, {1, true, "Ann Bob Cy"}, {2, false, "Cy Bob Ann"}, {2, true, "Ann Bob Cy"}} {
		if got := names(staff.Sorted(tt.column, tt.descending)); got != tt.want {
			t.Errorf("by column %d: %s, not %s", tt.column, got, tt.want)
		}
	}
	if names(staff) != "Ann Bob Cy" {
		t.Error("the table itself was changed")
	}
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	if got, want := staff.Statistics(2), (Statistics{Count: 3, Sum: 2237.5, Mean: 2237.5 / 3, Median: 950.5, Min: 87, Max: 1200}); got != want {
		t.Errorf("got %+v, not %+v", got, want)
	}
	if got, want := staff.Statistics(1), (Statistics{Empty: 1, Other: 2}); got != want {
		t.Errorf("got %+v, not %+v", got, want)
	}
}

func TestMentioned(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][]int{
		"sort this by role":         {1},
		"sort by roles, descending": {1},
		"the unit prices by name":   {2, 0},
		"unit price":                {2},
		"the highest unit":          {2},
		"name and name and role":    {0, 1},
		"by colour":                 nil,
		"":                          nil,
		"price":                     nil,
	} {
		if diff := cmp.Diff(want, staff.Mentioned(words)); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
	camel := Table{Columns: []string{"unitPrice", "unit_cost"}}
	if diff := cmp.Diff([]int{0, 1}, camel.Mentioned("unit price and unit costs")); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2", "| a |\n|---|\n| 1 |", `[{"a":1}]`, "- a: 1\n- a: 2", "a\tb\n\"", `{"a":[{}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Read(text)
		if err != nil {
			return
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Fatalf("a row of %d cells in a table of %d columns", len(row), len(table.Columns))
			}
		}
		table.Mentioned(text)
		for _, format := range []Format{CSV, TSV, JSON, Markdown, YAML} {
			if _, err := table.Write(format); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
		}
	})
}
