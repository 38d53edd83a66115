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

// queueNames are the queues in the order in which a request goes through them.
func queueNames() []string {
	return []string{jobs.QueueGateway, jobs.QueuePlan, jobs.QueueCPU, jobs.QueueGPU, jobs.QueueProgram}
}

// ParsePools reads --queues and --concurrency: the queues with their weights, and either
// one number of workers that they share, or some for each. All that is wrong is told.
func ParsePools(queues, concurrency string) ([]jobs.Pool, error) {
	weights, wrong := numbers("--queues", queues, 1000)
	if len(weights) == 0 && wrong == nil {
		wrong = fault.Usage("--queues names none: %s are expected, or some of them.", strings.Join(queueNames(), ","))
	}
	for name, weight := range weights {
		weights[name] = max(weight, 1)
	}
	if n, err := strconv.Atoi(concurrency); err == nil {
		if n < 1 || n > maxConcurrency {
			wrong = errors.Join(wrong, fault.Usage("--concurrency is %d: a number from 1 to %d is expected.", n, maxConcurrency))
		}
		return []jobs.Pool{{Queues: weights, Concurrency: n}}, wrong
	}
	workers, err := numbers("--concurrency", concurrency, maxConcurrency)
	wrong = errors.Join(wrong, err)
	if wrong != nil { // what follows from it would only confuse
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
			wrong = append(wrong, fault.Usage("--concurrency names %s without a number: %s=2 is one.", name, name))
		case named && !served:
			wrong = append(wrong, fault.Usage("--concurrency names %s, and --queues does not.", name))
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

// defaultConcurrency is how many tasks of a queue run at a time: those of gateway and plan
// wait for others most of the time; those of gpu wait for servers, which are asked how many
// they work on at a time (see sizedPools), for which 0 stands.
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

// sizedPools gives the queue gpu as many workers as the servers with models work on at a
// time, where the operator has not said how many.
func sizedPools(pools []jobs.Pool, capacity func() int) []jobs.Pool {
	sized := slices.Clone(pools)
	for i, p := range sized {
		if p.Concurrency == 0 {
			sized[i].Concurrency = cmp.Or(capacity(), workshop.GPUAtOnce)
		}
	}
	return sized
}

// numbers reads queues with a number each, which is 0 where it is left out.
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
			wrong = errors.Join(wrong, fault.Usage("%s names %q: there are the queues %s.", flag, name, strings.Join(queueNames(), ", ")))
		case twice:
			wrong = errors.Join(wrong, fault.Usage("%s names %s twice.", flag, name))
		case numbered && (err != nil || n < 1 || n > most):
			wrong = errors.Join(wrong, fault.Usage("%s has %q: a number from 1 to %d is expected.", flag, part, most))
		}
		all[name] = n
	}
	return all, wrong
}

// describePools says what is worked on, for the log: gateway 16, plan 8.
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
