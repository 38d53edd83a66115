package serve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"atelier/bot/fault"
	"atelier/bot/workshop"
	"atelier/jobs"
)

// queueNames lists the queues in the order in which a request passes through them.
func queueNames() []string {
	return []string{jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU, jobs.QueueGPU, jobs.QueueProgram}
}

// ParsePools parses --queues and --concurrency: the queues with their weights, and the number of workers,
// either shared or for each queue. It reports all errors.
func ParsePools(queues, concurrency string) ([]jobs.Pool, error) {
	weights, wrong := numbers("--queues", queues, 1000)
	if len(weights) == 0 && wrong == nil {
		wrong = fault.Usage("--queues is empty: expected %s, or some of them.", strings.Join(queueNames(), ","))
	}
	for name, weight := range weights {
		weights[name] = max(weight, 1)
	}
	if n, err := strconv.Atoi(concurrency); err == nil {
		if n < 1 || n > maxConcurrency {
			wrong = errors.Join(wrong, fault.Usage("--concurrency is %d: expected a number from 1 to %d.", n, maxConcurrency))
		}
		return []jobs.Pool{{Queues: weights, Concurrency: n}}, wrong
	}
	workers, err := numbers("--concurrency", concurrency, maxConcurrency)
	wrong = errors.Join(wrong, err)
	if wrong != nil { // further errors would only confuse
		return nil, wrong
	}
	pools, faults := eachPool(weights, workers)
	return pools, errors.Join(faults...)
}

// eachPool gives each queue its own workers.
func eachPool(weights, workers map[string]int) (pools []jobs.Pool, wrong []error) {
	for _, name := range queueNames() {
		n, named := workers[name]
		weight, served := weights[name]
		switch {
		case named && n == 0:
			wrong = append(wrong, fault.Usage("--concurrency has no number for %s: write %s=2, for example.", name, name))
		case named && !served:
			wrong = append(wrong, fault.Usage("--concurrency names %s, but --queues does not.", name))
		case !served:
			continue
		case !named:
			n = defaultConcurrency(name)
		}
		pools = append(pools, jobs.Pool{Queues: map[string]int{name: weight}, Concurrency: n})
	}
	return pools, wrong
}

const maxConcurrency = 1000

// defaultConcurrency is the default number of workers of a queue. Tasks of gateway and plan mostly wait
// for others. 0, for gpu, means that the servers are asked for their capacity (see sizedPools).
func defaultConcurrency(queue string) int {
	switch queue {
	case jobs.QueueGateway:
		return 16
	case jobs.QueuePlan:
		return 8
	case jobs.QueueCPU:
		return runtime.NumCPU()
	case jobs.QueueProgram:
		return workshop.ProgramsAtOnce
	default:
		return 0
	}
}

// sizedPools gives pools without a number of workers as many as the model servers can handle at a time.
func sizedPools(pools []jobs.Pool, capacity func() int) []jobs.Pool {
	sized := slices.Clone(pools)
	for i, p := range sized {
		if p.Concurrency == 0 {
			sized[i].Concurrency = cmp.Or(capacity(), workshop.GPUAtOnce)
		}
	}
	return sized
}

// numbers parses a list of queues with numbers; a missing number is 0.
func numbers(flag, list string, most int) (all map[string]int, wrong error) {
	all = map[string]int{}
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, number, numbered := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		_, twice := all[name]
		switch {
		case !slices.Contains(queueNames(), name):
			wrong = errors.Join(wrong, fault.Usage("%s has an unknown queue %q: expected %s.", flag, name, strings.Join(queueNames(), ", ")))
		case twice:
			wrong = errors.Join(wrong, fault.Usage("%s lists %s twice.", flag, name))
		case numbered && (err != nil || n < 1 || n > most):
			wrong = errors.Join(wrong, fault.Usage("%s has %q: expected a number from 1 to %d.", flag, part, most))
		}
		all[name] = n
	}
	return all, wrong
}

// describePools lists the queues with their workers, for the log: gateway 16, plan 8.
func describePools(pools []jobs.Pool) string {
	parts := make([]string, 0, len(pools))
	for _, p := range pools {
		names := slices.SortedFunc(maps.Keys(p.Queues), func(a, b string) int {
			return slices.Index(queueNames(), a) - slices.Index(queueNames(), b)
		})
		parts = append(parts, fmt.Sprintf("%s %d", strings.Join(names, "+"), p.Concurrency))
	}
	return strings.Join(parts, ", ")
}
