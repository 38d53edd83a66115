package main

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestPools: what --queues and --concurrency come to, and what they may not be.
func TestPools(t *testing.T) {
	t.Parallel()
	cpus := strconv.Itoa(runtime.NumCPU())
	for name, c := range map[string]struct{ queues, concurrency, want, wrong string }{
		"all":             {"gateway,plan,cpu,gpu", "", "gateway 16, plan 8, cpu " + cpus + ", gpu 4", ""},
		"a part":          {"gpu, cpu", "", "cpu " + cpus + ", gpu 4", ""},
		"shared":          {"gateway=6,plan=3,cpu", "5", "gateway+plan+cpu 5", ""},
		"each":            {"gateway,plan", "plan=2,gateway=3", "gateway 3, plan 2", ""},
		"one of them":     {"gateway,plan", "plan=2", "gateway 16, plan 2", ""},
		"none":            {" , ", "", "", "--queues names none: gateway,plan,cpu,gpu are expected"},
		"unknown":         {"gateway,tpu", "", "", `--queues names "tpu": there are the queues gateway, plan, cpu, gpu.`},
		"twice":           {"cpu,cpu=2", "", "", "--queues names cpu twice."},
		"a weight of 0":   {"cpu=0", "", "", `--queues has "cpu=0": a number from 1 to 1000 is expected.`},
		"no workers":      {"cpu", "0", "", "--concurrency is 0: a number from 1 to 1000 is expected."},
		"too many":        {"cpu", "cpu=1001", "", `--concurrency has "cpu=1001": a number from 1 to 1000 is expected.`},
		"no number":       {"cpu", "cpu", "", "--concurrency names cpu without a number: cpu=2 is one."},
		"of another":      {"cpu", "gpu=1", "", "--concurrency names gpu, and --queues does not."},
		"in other letter": {"cpu", "CPU=1", "", `--concurrency names "CPU"`},
	} {
		pools, err := parsePools(c.queues, c.concurrency)
		switch {
		case c.wrong == "" && (err != nil || describePools(pools) != c.want):
			t.Errorf("%s: %s, %v", name, describePools(pools), err)
		case c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)):
			t.Errorf("%s: %v", name, err)
		}
	}
	pools, err := parsePools("gateway=6,plan", "5")
	if err != nil || pools[0].Queues["gateway"] != 6 || pools[0].Queues["plan"] != 1 {
		t.Errorf("the weights are %v, %v", pools, err)
	}
}
