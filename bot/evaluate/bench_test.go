package evaluate

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"atelier/agent"
	"atelier/agent/evaluate"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// BenchmarkPlan measures a whole plan without a model, for the requests of our own benchmark in turn.
func BenchmarkPlan(b *testing.B) {
	config, err := settings.Read(nil, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	catalogue, err := bottest.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	atelier := rulesPlanner(b, config, catalogue)
	cases, err := evaluate.BuiltIn()
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := atelier.Plan(b.Context(), cases[i%len(cases)].Request); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlanTaskBench plans all of TaskBench's multimedia requests over its tools, and reports the time per
// plan. The data are in the folder taskbench of the folder that BENCH_DIR names, relative to the root of the
// repository.
func BenchmarkPlanTaskBench(b *testing.B) {
	folder := cmp.Or(os.Getenv("BENCH_DIR"), filepath.Join("..", "shared", "bench"))
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", "..", folder)
	}
	folder = filepath.Join(folder, "taskbench")
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		b.Skip("TaskBench's data are not here: BENCH_DIR names the folder that holds them in taskbench/.")
	}
	tools, err := read(filepath.Join(folder, "multimedia-tool_desc.json"), evaluate.ReadTools)
	if err != nil {
		b.Fatal(err)
	}
	wishes, err := read(filepath.Join(folder, "multimedia-user_requests.json"), evaluate.ReadWishes)
	if err != nil {
		b.Fatal(err)
	}
	config, err := settings.Read(nil, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	atelier := rulesPlanner(b, config, toolbox.NewCatalogue(tools))
	took := make([]time.Duration, len(wishes))
	for b.Loop() {
		for i, w := range wishes {
			began := time.Now()
			if _, err := atelier.Plan(b.Context(), w.Request); err != nil {
				b.Fatalf("%s: %v", w.ID, err)
			}
			took[i] = time.Since(began)
		}
	}
	slices.Sort(took)
	ms := func(share float64) float64 {
		return took[int(share*float64(len(took)-1))].Seconds() * 1000
	}
	b.ReportMetric(ms(0.5), "median-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
	b.ReportMetric(ms(1), "slowest-ms")
	b.ReportMetric(float64(len(took)), "wishes")
}

// rulesPlanner plans as if every tool of the catalogue could run.
func rulesPlanner(b *testing.B, config settings.Config, catalogue *toolbox.Catalogue) *agent.Agent {
	b.Helper()
	a, err := workshop.Workshop{Config: config}.Agent(b.Context(), catalogue, nil, agent.Config{AllTools: true})
	if err != nil {
		b.Fatal(err)
	}
	return a
}
