package serve

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestPools checks valid and invalid values of --queues and --concurrency.
func TestPools(t *testing.T) {
	t.Parallel()
	cpus := strconv.Itoa(runtime.NumCPU())
	for name, c := range map[string]struct{ queues, concurrency, want, wrong string }{
		"all":             {"gateway,plan,cpu,gpu,program", "", "gateway 16, plan 8, cpu " + cpus + ", gpu 0, program 2", ""},
		"a part":          {"gpu, cpu", "", "cpu " + cpus + ", gpu 0", ""},
		"shared":          {"gateway=6,plan=3,cpu", "5", "gateway+plan+cpu 5", ""},
		"each":            {"gateway,plan", "plan=2,gateway=3", "gateway 3, plan 2", ""},
		"one of them":     {"gateway,plan", "plan=2", "gateway 16, plan 2", ""},
		"none":            {" , ", "", "", "--queues is empty: expected gateway,plan,cpu,gpu,program"},
		"unknown":         {"gateway,tpu", "", "", `--queues has an unknown queue "tpu": expected gateway, plan, cpu, gpu, program.`},
		"twice":           {"cpu,cpu=2", "", "", "--queues lists cpu twice."},
		"a weight of 0":   {"cpu=0", "", "", `--queues has "cpu=0": expected a number from 1 to 1000.`},
		"no workers":      {"cpu", "0", "", "--concurrency is 0: expected a number from 1 to 1000."},
		"too many":        {"cpu", "cpu=1001", "", `--concurrency has "cpu=1001": expected a number from 1 to 1000.`},
		"no number":       {"cpu", "cpu", "", "--concurrency has no number for cpu: write cpu=2, for example."},
		"of another":      {"cpu", "gpu=1", "", "--concurrency names gpu, but --queues does not."},
		"in other letter": {"cpu", "CPU=1", "", `--concurrency has an unknown queue "CPU"`},
	} {
		pools, err := ParsePools(c.queues, c.concurrency)
		switch {
		case c.wrong == "" && (err != nil || describePools(pools) != c.want):
			t.Errorf("%s: %s, %v", name, describePools(pools), err)
		case c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)):
			t.Errorf("%s: %v", name, err)
		}
	}
	pools, err := ParsePools("gateway=6,plan", "5")
	if err != nil || pools[0].Queues["gateway"] != 6 || pools[0].Queues["plan"] != 1 {
		t.Errorf("the weights are %v, %v", pools, err)
	}
}

// TestSizedPools checks that the servers are asked for their capacity only if the number of workers is not set.
func TestSizedPools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		queues, concurrency string
		capacity            int // less than 0 must not be asked
		want                string
	}{
		"told":        {"gpu", "", 7, "gpu 7"},
		"not told":    {"gpu", "", 0, "gpu 4"},
		"set":         {"gpu", "gpu=2", -1, "gpu 2"},
		"shared":      {"cpu,gpu", "3", -1, "cpu+gpu 3"},
		"not served":  {"plan", "", -1, "plan 8"},
		"beside plan": {"plan,gpu", "", 1, "plan 8, gpu 1"},
	} {
		pools, err := ParsePools(c.queues, c.concurrency)
		if err != nil {
			t.Fatal(err)
		}
		sized := sizedPools(pools, func() int {
			if c.capacity < 0 {
				t.Errorf("%s: the servers were asked", name)
			}
			return c.capacity
		})
		if got := describePools(sized); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
