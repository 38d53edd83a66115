package native

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/toolbox/native/chart"
	"atelier/agent/toolbox/table"
)

const sales = "month,region,revenue,cost\nJan,North,120,80\nFeb,North,150,90\nMar,South,90,-95\nApr,South,,100\n"

func TestChartsShowTheNamedColumns(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]struct {
		kind   chart.Kind
		series []string
		x      string
		labels []string
	}{
		"revenue by month":          {chart.Line, []string{"revenue"}, "month", []string{"Jan", "Feb", "Mar", "Apr"}},
		"revenue and cost by month": {chart.Bar, []string{"revenue", "cost"}, "month", []string{"Jan", "Feb", "Mar", "Apr"}},
		"cost per region":           {chart.Pie, []string{"cost"}, "region", []string{"North", "North", "South", "South"}},
		"make a chart of this":      {chart.Bar, []string{"revenue", "cost"}, "month", []string{"Jan", "Feb", "Mar", "Apr"}},
		"month cost":                {chart.Bar, []string{"cost"}, "month", []string{"Jan", "Feb", "Mar", "Apr"}},
		"revenue cost":              {chart.Scatter, []string{"revenue"}, "cost", []string{"80", "90", "-95", "100"}},
		"revenue against cost":      {chart.Scatter, []string{"revenue"}, "cost", []string{"80", "90", "-95", "100"}},
		"a histogram of the cost":   {chart.Histogram, []string{"cost"}, "cost", []string{"Jan", "Feb", "Mar", "Apr"}},
	} {
		read, err := table.Read(sales)
		if err != nil {
			t.Fatal(err)
		}
		got, err := charted(read, want.kind, words)
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		names := make([]string, len(got.Series))
		for i, s := range got.Series {
			names[i] = s.Name
		}
		if diff := cmp.Diff(want.series, names); diff != "" || got.XName != want.x || !slices.Equal(got.Labels, want.labels) {
			t.Errorf("%s: %s over %q with the labels %q", words, diff, got.XName, got.Labels)
		}
	}
}

// inked counts the pixels of a picture that are close to a colour.
func inked(img *image.NRGBA, want color.NRGBA) int {
	n := 0
	for i := 0; i < len(img.Pix); i += 4 {
		near := func(at int, v uint8) bool { return max(img.Pix[i+at], v)-min(img.Pix[i+at], v) < 12 }
		if near(0, want.R) && near(1, want.G) && near(2, want.B) {
			n++
		}
	}
	return n
}

func TestMakeChart(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	for kind, blue := range map[string][2]int{ // how many pixels the first series covers, at least and at most; points are translucent
		"a bar chart": {60_000, 250_000}, "a line graph": {2_000, 20_000}, "pie": {50_000, 250_000}, "histogram": {50_000, 500_000}, "scatter plot": {200, 2_000},
	} {
		given := args{"table": {text(sales)}, "columns": {text("revenue by month")}, "kind": {text(kind)}, "title": {text("Revenue of a year")}}
		if kind == "scatter plot" {
			given["columns"][0].Value = "revenue against cost"
		}
		out := w.run("make_chart", given)
		img := w.read(out).Image
		if n := inked(img, color.NRGBA{37, 99, 235, 255}) + inked(img, color.NRGBA{92, 138, 240, 255}); n < blue[0] || n > blue[1] {
			t.Errorf("%s: %d blue pixels, want %d to %d", kind, n, blue[0], blue[1])
		}
	}
	table := func(s, columns string) args {
		return args{"table": {text(s)}, "columns": {text(columns)}, "kind": {text("pie")}}
	}
	w.refused("make_chart", table(sales, "cost by month"), "negative")
	w.refused("make_chart", table("a,b\nx,y", "chart"), "numbers only")
	w.refused("make_chart", table("no table", "chart"), "no table")
	w.refused("make_chart", args{"table": {text(sales)}, "columns": {text("chart")}, "kind": {text("radar")}}, "pie")
}
