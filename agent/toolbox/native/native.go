// Package native runs the tools that need nothing outside the binary: pictures are
// edited and analysed, lists are selected from and counted, texts are summarised.
//
// Promises:
//   - A tool either gives an output that exists or an error with a sentence for
//     people ([plan.Fault]); nothing is written outside the call's folder and an
//     input file is never changed.
//   - Every picture is checked by the media package before it is decoded, so memory
//     is bounded by [Config.Limits] whatever a file claims to be. All calls of one
//     [Native] together hold at most two of the largest pictures, counting what is
//     read and what is enlarged (128 million pixels by default, each of which takes
//     up to about 12 bytes while it is worked on); a call that finds no room waits.
//   - The time goes with the number of pixels and with nothing else that can be asked
//     for; every call ends soon after its context, in the middle of a picture too.
//   - The same call gives the same bytes: no clock, no network, no randomness beyond
//     the call's own Now and Seed.
package native

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/amount"
)

// Config is what a Native needs; the zero value is ready for use.
type Config struct {
	// Limits bound the files that are read and the pictures that are made; zero
	// fields mean the defaults of the media package.
	Limits media.Limits
}

// Native is the backend of kind "native". It is safe for concurrent use.
type Native struct {
	limits media.Limits
	table  map[string]operation
	room   *semaphore.Weighted // for pixels
	most   int64               // pixels in that room
}

var _ toolbox.Backend = (*Native)(nil)

// operation does the work of one entry of the table. Its errors carry a [plan.Fault].
type operation func(ctx context.Context, c toolbox.Call) (toolbox.Output, error)

// New returns the backend. It opens nothing.
func New(cfg Config) (*Native, error) {
	n := &Native{limits: cfg.Limits.OrDefault()}
	n.most = 2 * n.limits.Pixels
	n.room = semaphore.NewWeighted(n.most)
	n.table = n.operations()
	return n, nil
}

// Probe tells whether the operation that the backing names is built in.
func (n *Native) Probe(_ context.Context, b toolbox.Candidate) error {
	_, err := n.find(b)
	return err
}

// Run does the operation that the backing names.
func (n *Native) Run(ctx context.Context, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	op, err := n.find(b)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := ctx.Err(); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It was stopped before it began."), Err: err}
	}
	size := min(n.weigh(c), n.most)
	if err := n.room.Acquire(ctx, size); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It was stopped before it began."), Err: err}
	}
	defer n.room.Release(size)
	out, err := op(ctx, c)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("%s: %w", b.Run, err)
	}
	return out, nil
}

// weigh is about how many pixels the call will hold: those of its pictures, of which
// the ones of a list are read one after the other, and those of a larger copy.
func (n *Native) weigh(c toolbox.Call) int64 {
	var sum, largest int64
	for _, values := range c.Args {
		var most int64
		for _, v := range values {
			if v.Path != "" {
				most = max(most, media.Pixels(v.Path, n.limits))
			}
		}
		sum, largest = sum+most, max(largest, most)
	}
	if z, ok := amount.Size(cmp.Or(c.Text("size"), c.Text("factor"))); ok {
		made := int64(z.Width) * int64(z.Height)
		if made == 0 { // by a factor, or one side that the other one follows
			made = n.limits.Pixels
		}
		if z.Factor > 0 {
			made = int64(z.Factor * z.Factor * float64(largest))
		}
		sum += min(made, n.limits.Pixels)
	}
	return sum
}

func (n *Native) find(b toolbox.Candidate) (operation, error) {
	op, ok := n.table[b.Run]
	if !ok {
		return nil, &plan.Fault{
			Sentence: plan.Say("This program has no built-in way to do that."),
			Err:      fmt.Errorf("no native operation is called %q", b.Run),
		}
	}
	return op, nil
}
