package toolbox

import (
	"context"
	"sync"
	"sync/atomic"
)

// Sized is a backend that knows how much its server works on at a time.
type Sized interface {
	// Capacity is how many calls the server works on at a time, so that more of them only
	// wait there; 0 is unknown. It asks the server, and ends with ctx.
	Capacity(ctx context.Context) int
}

// Capacity is how many calls the servers with models on GPUs work on at a time, all of them
// together; 0 where none tells. Each is asked at the same time as the others.
func (t *Toolbox) Capacity(ctx context.Context) int {
	var sum atomic.Int64
	var asked sync.WaitGroup
	for _, s := range t.servers {
		sized, ok := s.Backend.(Sized)
		if !ok {
			continue
		}
		asked.Go(func() {
			n := sized.Capacity(ctx)
			if s.Parallel > 0 { // the operator allows it no more
				n = min(n, s.Parallel)
			}
			sum.Add(int64(n))
		})
	}
	asked.Wait()
	return int(sum.Load())
}
