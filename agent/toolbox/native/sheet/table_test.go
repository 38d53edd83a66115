package sheet

import (
	"strings"
	"testing"

	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/native/prose"
)

const payroll = "name,role,revenue\nAnn,engineer,\"1,200\"\nBob,designer,950.5\nCy,manager,\n"

func TestJoinTables(t *testing.T) {
	t.Parallel()
	out := nativetest.New(t, Operations()).Do("join_tables", nativetest.Args{
		"tables": {nativetest.Text("a,b\n1,2\n"), nativetest.Text("B;c\n3;4\n"), nativetest.Text("a\tb\n5\t6\n")},
	})
	if md := nativetest.New(t, Operations()).Do("join_tables", nativetest.Args{"tables": {nativetest.Text("a,b\n1,2\n"), nativetest.Text("a,b\n3,4\n")}, "format": {nativetest.Text("Markdown")}}); md.Value != "| a | b |\n| ---: | ---: |\n| 1 | 2 |\n| 3 | 4 |" {
		t.Errorf("%q", md.Value)
	}
	if out.Value != "a,b,c\n1,2,\n,3,4\n5,6," || out.About.String() != "3 rows" {
		t.Errorf("%q, %q", out.Value, out.About)
	}
}

func TestTableTools(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		run   string
		given []string
		want  string
	}{
		"as TSV":                      {"convert_table", []string{"table", payroll, "format", "tab separated"}, "name\trole\trevenue\nAnn\tengineer\t1,200\nBob\tdesigner\t950.5\nCy\tmanager\t"},
		"as Markdown":                 {"convert_table", []string{"table", "a;b\n1;x", "format", "a markdown table"}, "| a | b |\n| ---: | --- |\n| 1 | x |"},
		"JSON as CSV":                 {"convert_table", []string{"table", `[{"a": 1, "b": "x, y"}]`, "format", "csv"}, "a,b\n1,\"x, y\""},
		"by role":                     {"sort_table", []string{"table", payroll, "column", "sort this by role"}, "name,role,revenue\nBob,designer,950.5\nAnn,engineer,\"1,200\"\nCy,manager,"},
		"by number":                   {"sort_table", []string{"table", payroll, "column", "revenue", "direction", "lowest first"}, "name,role,revenue\nBob,designer,950.5\nAnn,engineer,\"1,200\"\nCy,manager,"},
		"behind by":                   {"sort_table", []string{"table", payroll, "column", "sort the names by revenue", "direction", "highest first"}, "name,role,revenue\nAnn,engineer,\"1,200\"\nBob,designer,950.5\nCy,manager,"},
		"Markdown stays":              {"sort_table", []string{"table", "| a |\n|---|\n| 2 |\n| 1 |", "column", "a"}, "| a |\n| ---: |\n| 1 |\n| 2 |"},
		"some rows":                   {"filter_table", []string{"table", payroll, "condition", "revenue is over 1000"}, "name,role,revenue\nAnn,engineer,\"1,200\""},
		"the other rows":              {"filter_table", []string{"table", payroll, "condition", "role is engineer or manager", "rows", "delete"}, "name,role,revenue\nBob,designer,950.5"},
		"some columns":                {"pick_columns", []string{"table", payroll, "columns", "revenue and name"}, "revenue,name\n\"1,200\",Ann\n950.5,Bob\n,Cy"},
		"the other columns":           {"pick_columns", []string{"table", payroll, "columns", "the last column", "action", "drop"}, "name,role\nAnn,engineer\nBob,designer\nCy,manager"},
		"by a place":                  {"sort_table", []string{"table", payroll, "column", "by the second column"}, "name,role,revenue\nBob,designer,950.5\nAnn,engineer,\"1,200\"\nCy,manager,"},
		"groups":                      {"table_statistics", []string{"table", "team,cost\nred,2\nblue,5\nred,4", "column", "average cost per team"}, "| team | sum | mean | median | min | max | count |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n| red | 6 | 3 | 3 | 2 | 4 | 2 |\n| blue | 5 | 5 | 5 | 5 | 5 | 1 |"},
		"groups by a column of texts": {"table_statistics", []string{"table", "team,cost\nred,2\nblue,5\nred,4", "column", "cost team"}, "| team | sum | mean | median | min | max | count |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n| red | 6 | 3 | 3 | 2 | 4 | 2 |\n| blue | 5 | 5 | 5 | 5 | 5 | 1 |"},
		"one column":                  {"table_statistics", []string{"table", payroll, "column", "what's the total revenue?"}, "Rows: 3\nrevenue: sum 2150.5, mean 1075.25, median 1075.25, min 950.5, max 1200, count 2 (1 cells without a number)"},
		"all columns":                 {"table_statistics", []string{"table", "a,b\n1,x\n2,y", "column", "column statistics of this table"}, "Rows: 2\na: sum 3, mean 1.5, median 1.5, min 1, max 2, count 2"},
		"a column of texts":           {"table_statistics", []string{"table", payroll, "column", "role"}, "Rows: 3\nrole: no numbers, 3 texts, 0 empty cells"},
		"pretty JSON":                 {"format_json", []string{"text", `{"b":1,"a":[]}`}, "{\n  \"b\": 1,\n  \"a\": []\n}"},
		"compact JSON":                {"format_json", []string{"text", "{\n \"a\": 1 }", "style", "minify"}, `{"a":1}`},
	} {
		out, err := nativetest.New(t, Operations()).Typed(tt.run, tt.given...)
		if err != nil || out.Value != tt.want {
			t.Errorf("%s: got %q and %v, not %q", name, out.Value, err, tt.want)
		}
	}
}

func TestTableToolsRefuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		run   string
		given []string
		says  string
	}{
		"no table":          {"convert_table", []string{"table", "Just a text.", "format", "json"}, "This text is not a table."},
		"nothing":           {"convert_table", []string{"table", " ", "format", "json"}, "There is no table"},
		"no format":         {"convert_table", []string{"table", payroll, "format", "xlsx"}, "xlsx"},
		"no column to sort": {"sort_table", []string{"table", payroll, "column", "sort it by colour"}, "Its columns are: name, role, revenue."},
		"no column to add":  {"table_statistics", []string{"table", payroll, "column", "average bananas"}, "Its columns are: name, role, revenue."},
		"no column to pick": {"pick_columns", []string{"table", payroll, "columns", "colour"}, "Its columns are: name, role, revenue."},
		"no column left":    {"pick_columns", []string{"table", payroll, "columns", "name, role and revenue", "action", "remove"}, "No columns would be left"},
		"no row left":       {"filter_table", []string{"table", payroll, "condition", "role is astronaut"}, "No rows would be left in the table"},
		"no condition":      {"filter_table", []string{"table", payroll, "condition", " "}, "city is Berlin"},
		"no numbers":        {"table_statistics", []string{"table", "a,b\nx,y", "column", "statistics"}, "No column of the table has only numbers"},
		"damaged JSON":      {"format_json", []string{"text", "{\n\"a\": 1,\n}"}, "damaged in line 3"},
		"no JSON":           {"format_json", []string{"text", " "}, "There is no JSON"},
		"too long":          {"sort_table", []string{"table", strings.Repeat("a,b\n", prose.Most/4+1), "column", "a"}, "longer than 4 MB"},
	} {
		_, err := nativetest.New(t, Operations()).Typed(tt.run, tt.given...)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		nativetest.WantFault(t, err, tt.says)
	}
}
