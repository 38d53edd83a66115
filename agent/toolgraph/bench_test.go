package toolgraph_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// byHash gives each tool a score from 1 to 5 that depends on its name alone.
func byHash(tool string) float64 {
	return 1 + float64(crc32.ChecksumIEEE([]byte(tool))%401)/100
}

// synthetic returns n tools over the built-in types and others. As in ControlLLM's toolbox, a type is returned by
// three tools on average, but pictures and texts by far more, and a tool takes one to three arguments.
func synthetic(n, types int) ([]plan.Type, []toolgraph.Tool) {
	r := rand.New(rand.NewPCG(7, 11))
	all := plan.Types()
	for len(all) < types {
		all = append(all, plan.Type(fmt.Sprintf("type%d", len(all))))
	}
	common := []plan.Type{plan.Image, plan.Text, plan.Image, plan.Text, plan.Video, plan.Audio, plan.Mask, plan.BBox}
	pick := func() plan.Type {
		if r.IntN(3) == 0 {
			return common[r.IntN(len(common))]
		}
		return all[r.IntN(len(all))]
	}
	tools := make([]toolgraph.Tool, n)
	for i := range tools {
		tools[i] = toolgraph.Tool{Name: fmt.Sprintf("tool%05d", i), Domain: fmt.Sprintf("domain%d", r.IntN(12)), Returns: pick()}
		for a := range 1 + r.IntN(3) {
			tools[i].Args = append(tools[i].Args, toolgraph.Arg{Name: fmt.Sprintf("arg%d", a), Type: pick()})
		}
		if i < len(plan.Types()) { // so that every type is reachable
			tools[i].Returns = all[i]
			tools[i].Args = []toolgraph.Arg{{Name: "image", Type: plan.Image}}
		}
	}
	return all, tools
}

var photoAndText = toolgraph.Query{
	Given: []toolgraph.Given{
		{Type: plan.Image, Source: plan.FromResource("photo.jpg")},
		{Type: plan.Text, Source: plan.FromValue("a snowy cabin")},
	},
	Goal: plan.Image,
}

// BenchmarkSearch10k searches 10,000 tools: sparse has a type for every three tools, dense only the built-in types.
func BenchmarkSearch10k(b *testing.B) {
	for _, c := range []struct {
		name  string
		types int
	}{{"sparse", 10_000 / 3}, {"dense", len(plan.Types())}} {
		types, tools := synthetic(10_000, c.types)
		g, err := toolgraph.New(types, tools)
		if err != nil {
			b.Fatal(err)
		}
		for _, goal := range []plan.Type{plan.Image, plan.Audio} {
			q := photoAndText
			q.Goal = goal
			b.Run(fmt.Sprintf("%s/%s/%s", toolgraph.BestFirst, c.name, goal), func(b *testing.B) {
				benchmark(b, g, q, byHash, toolgraph.BestFirst)
			})
		}
	}
}

func benchmark(b *testing.B, g *toolgraph.Graph, q toolgraph.Query, s toolgraph.Scores, strategy toolgraph.Strategy) {
	b.Helper()
	b.ReportAllocs()
	var found toolgraph.Found
	for b.Loop() {
		var err error
		if found, err = g.Search(context.Background(), q, s, strategy); err != nil {
			b.Fatal(err)
		}
	}
	if len(found.Solutions) == 0 {
		b.Fatal("no solution")
	}
	b.ReportMetric(float64(found.Visited), "visited")
	b.ReportMetric(float64(len(found.Solutions)), "solutions")
}

// BenchmarkSearchCatalogue searches ControlLLM's 62 tools with the path length of its code, 5.
func BenchmarkSearchCatalogue(b *testing.B) {
	tools, err := readToolbox("testdata/controlllm.txt")
	if err != nil {
		b.Fatal(err)
	}
	g, err := toolgraph.New(plan.Types(), tools)
	if err != nil {
		b.Fatal(err)
	}
	narrow := photoAndText
	narrow.Domains = []string{"image-perception", "image-editing"}
	narrow.MaxActions = 5
	wide := photoAndText
	wide.MaxActions = 5
	for _, q := range []struct {
		name  string
		query toolgraph.Query
	}{{"two-domains", narrow}, {"all-domains", wide}} {
		for _, s := range strategies {
			if slices.Contains([]toolgraph.Strategy{toolgraph.BestFirst, toolgraph.Adaptive, toolgraph.Exhaustive}, s) {
				b.Run(s.String()+"/"+q.name, func(b *testing.B) { benchmark(b, g, q.query, byHash, s) })
			}
		}
	}
}
