package sheet

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"atelier/agent/toolbox/native/chart"
	"atelier/agent/toolbox/native/nativetest"
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
		"cost per region":           {chart.Pie, []string{"cost"}, "region", []string{"North", "South"}},
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
		got, _, err := charted(read, want.kind, words)
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

// TestPieOfSeveralColumns checks that a pie shows all columns, unless one is named.
func TestPieOfSeveralColumns(t *testing.T) {
	t.Parallel()
	read, err := table.Read("month,north,south,online\nJan,10,20,30\nFeb,30,20,50\n")
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]struct {
		labels []string
		values []float64
		note   string
	}{
		"":                      {[]string{"north", "south", "online"}, []float64{40, 40, 80}, "Each slice is the sum of a column."},
		"the average":           {[]string{"north", "south", "online"}, []float64{20, 20, 40}, "Each slice is the average of a column."},
		"north and online":      {[]string{"north", "online"}, []float64{40, 80}, "Each slice is the sum of a column."},
		"online sales by month": {[]string{"Jan", "Feb"}, []float64{30, 50}, ""},
	} {
		got, note, err := charted(read, chart.Pie, words)
		if err != nil {
			t.Fatal(words, err)
		}
		if diff := cmp.Diff(want.values, got.Series[0].Values); diff != "" || !slices.Equal(got.Labels, want.labels) || note.String() != want.note {
			t.Errorf("%q: %q, %q\n%s", words, got.Labels, note, diff)
		}
	}
	_, note, err := charted(read, chart.Histogram, "")
	if err != nil || note.String() != `It shows only the column "north"; a histogram shows one column.` {
		t.Errorf("a histogram: %q, %v", note, err)
	}
}

func TestChartsCombineRows(t *testing.T) {
	t.Parallel()
	read, err := table.Read(sales)
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]struct {
		values []float64
		note   string
	}{
		"total revenue by region": {[]float64{270, 90}, `Rows with the same "region" are added up.`},
		"average cost per region": {[]float64{85, 2.5}, `Rows with the same "region" are averaged.`},
		"revenue by month":        {[]float64{120, 150, 90, math.NaN()}, ""},
	} {
		got, note, err := charted(read, chart.Bar, words)
		if err != nil {
			t.Fatal(words, err)
		}
		if diff := cmp.Diff(want.values, got.Series[0].Values, cmpopts.EquateNaNs()); diff != "" || note.String() != want.note {
			t.Errorf("%s: %q\n%s", words, note, diff)
		}
	}
}

func TestMakeChart(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	for kind, blue := range map[string][2]int{ // minimum and maximum number of pixels of the first series; points are translucent
		"a bar chart": {60_000, 250_000}, "a line graph": {2_000, 20_000}, "pie": {50_000, 250_000}, "histogram": {50_000, 500_000}, "scatter plot": {200, 2_000},
	} {
		given := nativetest.Args{"table": {nativetest.Text(sales)}, "columns": {nativetest.Text("revenue by month")}, "kind": {nativetest.Text(kind)}, "title": {nativetest.Text("Revenue of a year")}}
		if kind == "scatter plot" {
			given["columns"][0].Value = "revenue against cost"
		}
		out := w.Do("make_chart", given)
		img := w.Read(out).Image
		if n := nativetest.Inked(img, color.NRGBA{37, 99, 235, 255}) + nativetest.Inked(img, color.NRGBA{92, 138, 240, 255}); n < blue[0] || n > blue[1] {
			t.Errorf("%s: %d blue pixels, want %d to %d", kind, n, blue[0], blue[1])
		}
	}
	table := func(s, columns string) nativetest.Args {
		return nativetest.Args{"table": {nativetest.Text(s)}, "columns": {nativetest.Text(columns)}, "kind": {nativetest.Text("pie")}}
	}
	w.Refused("make_chart", table(sales, "cost by month"), "negative")
	w.Refused("make_chart", table("a,b\nx,y", "chart"), "only numbers")
	w.Refused("make_chart", table("no table", "chart"), "not a table")
	w.Refused("make_chart", nativetest.Args{"table": {nativetest.Text(sales)}, "columns": {nativetest.Text("chart")}, "kind": {nativetest.Text("radar")}}, "pie")
}

func TestChartsHaveAColour(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	orange := color.NRGBA{R: 255, G: 165, A: 255}
	for kind, want := range map[string]bool{"bar": true, "line": true, "histogram": true, "pie": false} {
		img := w.Picture("make_chart", nativetest.Args{
			"table": {nativetest.Text("Mon 3, Tue 5, Wed: 4")}, "columns": {nativetest.Text("all")},
			"kind": {nativetest.Text(kind)}, "colour": {nativetest.Text("orange")},
		}).Image
		if got := nativetest.Inked(img, orange); (got > 100) != want {
			t.Errorf("%s: %d pixels are orange", kind, got)
		}
	}
}

// TestChartsHaveASize checks that a chart is drawn in its size, with a place for everything, and not scaled.
func TestChartsHaveASize(t *testing.T) {
	t.Parallel()
	w := nativetest.New(t, Operations())
	given := func(kind, size string) nativetest.Args {
		return nativetest.Args{
			"table": {nativetest.Text("month,revenue\nJan,120\nFeb,150\nMar,90\n")}, "columns": {nativetest.Text("revenue by month")},
			"kind": {nativetest.Text(kind)}, "colour": {nativetest.Text("red")}, "size": {nativetest.Text(size)},
		}
	}
	for _, kind := range []string{"bar", "line", "pie", "histogram"} {
		for size, want := range map[string]image.Point{"1600x900": {1600, 900}, "400x1200": {400, 1200}, "2400 px wide": {2400, 1520}} {
			img := w.Picture("make_chart", given(kind, size)).Image
			if got := img.Bounds().Size(); got != want {
				t.Errorf("%s of %s: it has %v pixels", kind, size, got)
			}
			inked := image.Rectangle{}
			for y := range want.Y {
				for x := range want.X {
					if c := img.NRGBAAt(x, y); int(c.R)+int(c.G)+int(c.B) < 700 {
						inked = inked.Union(image.Rect(x, y, x+1, y+1))
					}
				}
			}
			if inked.Dx() < want.X*8/10 || inked.Min.X == 0 || inked.Max.X == want.X || kind != "pie" && inked.Dy() < want.Y*8/10 {
				t.Errorf("%s of %s: it is drawn in %v", kind, size, inked)
			}
		}
	}
	w.Refused("make_chart", given("bar", "9000x100"), "from 200 to 4000 pixels")
}
