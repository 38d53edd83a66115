package rules_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
)

// TestPastedTable checks that a table in a message is one text: its lines and commas do not separate orders.
func TestPastedTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ wish, tool, table string }{
		"CSV below the order":      {"make a bar chart of this:\nMon,3\nTue,5\nWed,8", "make_chart", "Mon,3\nTue,5\nWed,8"},
		"a block of code":          {"```\nx;y\n1;2\n3;5\n```\nline chart please", "make_chart", "x;y\n1;2\n3;5"},
		"Markdown":                 {"sort this table by price:\n\n| name | price |\n|---|---|\n| pear | 5 |", "sort_table", "| name | price |\n|---|---|\n| pear | 5 |"},
		"a condition":              {"remove the rows where age is over 30:\nname,age\nAnn,31\nBob,22", "filter_table", "name,age\nAnn,31\nBob,22"},
		"a column named as a verb": {"sort this by age:\nname,age\nAda,31\nBob,20", "sort_table", "name,age\nAda,31\nBob,20"},
	} {
		o, err := thePlanner(t).Decompose(t.Context(), plan.Request{Wish: c.wish}, nil)
		if err != nil || len(o.Subtasks) != 1 || len(o.Left) > 0 {
			t.Errorf("%s: %+v, %v", name, o, err)
			continue
		}
		sub := o.Subtasks[0]
		if sub.Tool != c.tool || len(sub.Args) == 0 || sub.Args[0].Source.Value != c.table {
			t.Errorf("%s: %s of %+v", name, sub.Tool, sub.Args)
		}
		for _, said := range sub.Said {
			if strings.Contains(said.Text(), "\n") || strings.HasSuffix(said.Text(), ":") || strings.Contains(said.Text(), "␤") {
				t.Errorf("%s: the setting %q contains the table", name, said.Text())
			}
		}
	}
}

// TestOrdersOnLines checks that two lines with a comma each are not mistaken for a table.
func TestOrdersOnLines(t *testing.T) {
	t.Parallel()
	r := plan.Request{Wish: "crop it to a square, blur it\nrotate it by 90 degrees, make it grey", Given: []plan.Resource{{Name: "a.png", Type: plan.Image}}}
	o, err := thePlanner(t).Decompose(t.Context(), r, nil)
	if err != nil || len(o.Subtasks) != 4 {
		t.Errorf("%d subtasks: %+v, %v", len(o.Subtasks), o, err)
	}
}
