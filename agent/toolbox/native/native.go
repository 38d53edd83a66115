// Package native runs the tools that need nothing outside the binary: pictures are edited and
// analysed, lists are selected from and counted, texts are summarised. It looks up the operation that
// a backing names and reserves the memory it needs. The operations are in the packages below.
//
// Guarantees:
//   - A tool returns either an existing output or an error with a sentence for people
//     ([plan.Fault]). Nothing is written outside the call's folder, and input files are never
//     changed.
//   - Every picture is checked by the media package before it is decoded, so memory is bounded
//     by [Config.Limits] whatever a file claims to be. A call first reserves its memory from
//     these limits: it waits until there is enough, and is refused if there never could be.
//   - The running time depends only on the number of pixels. Every call returns soon after its
//     context ends, even in the middle of a picture.
//   - The same call gives the same bytes: no clock, no network, and no randomness beyond the
//     call's own Now and Seed.
package native

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/quantity"
)

// Config configures a Native; the zero value is ready to use.
type Config struct {
	// Limits bound the files that are read and the pictures that are made; zero fields mean the
	// defaults of the media package.
	Limits media.Limits
}

// Native is the backend of kind "native". It is safe for concurrent use.
type Native struct {
	limits media.Limits
	table  map[string]operation.Func
	memory *memory.Budget
}

var _ toolbox.Backend = (*Native)(nil)

// New returns the backend. It opens nothing.
func New(cfg Config) (*Native, error) {
	n := &Native{limits: cfg.Limits.OrDefault(), memory: cfg.Limits.Memory}
	n.limits.Memory = nil // a call has already reserved the memory for inspecting files
	var err error
	n.table, err = tableOf(n.limits)
	return n, err
}

// Probe returns an error unless the backing's operation is built in.
func (n *Native) Probe(_ context.Context, b toolbox.Candidate) error {
	_, err := n.find(b)
	return err
}

// Run runs the backing's operation.
func (n *Native) Run(ctx context.Context, b toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	op, err := n.find(b)
	if err != nil {
		return toolbox.Output{}, err
	}
	if err := ctx.Err(); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It was stopped before it started."), Err: err}
	}
	giveBack, err := n.memory.Take(ctx, n.weigh(b.Run, c))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer giveBack()
	out, err := op(ctx, c)
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("%s: %w", b.Run, err)
	}
	return out, nil
}

// Bytes held by operations per pixel of a picture, including the four of the picture itself.
const (
	usualRate = 8
	// animatedRate is added for compositing the frames of an animation.
	animatedRate = 16
)

// rates lists operations that hold more than usualRate.
var rates = map[string]int64{
	"adjust_image": 12, "fit_image_size": 12, "image_to_edge": 20, "image_to_pdf": 12, "images_to_pdf": 12,
	"normal_from_depth": 16, "resize_image": 12, "rotate_image": 16, "upscale_image": 12,
}

// weigh estimates the bytes that the call will hold: for its pictures, and for a resized picture that
// it makes. Lists of pictures are read one at a time and kept small.
func (n *Native) weigh(run string, c toolbox.Call) int64 {
	rate := cmp.Or(rates[run], usualRate)
	var sum, made int64
	size, sized := toolbox.Param[quantity.Sizing](c, "size")
	if !sized {
		size, sized = toolbox.Param[quantity.Sizing](c, "factor")
	}
	for _, values := range c.Args {
		var most int64
		for _, v := range values {
			if v.Path == "" {
				continue
			}
			w := media.Weigh(v.Path, n.limits)
			bytes := w.Bytes(rate)
			if w.Animated {
				bytes += animatedRate * w.Pixels()
			}
			writing := media.FormatFor(strings.TrimPrefix(w.MIME, "image/"))
			if named, ok := toolbox.Param[string](c, "format"); ok {
				writing, _ = media.FormatNamed(named)
			}
			bytes += writing.Bytes(w.Pixels())
			most = max(most, bytes)
			if len(values) > 1 {
				sum += 4 * min(w.Pixels(), picture.Cell*picture.Cell)
			}
			if sized { // upright or rotated: not known before the file is read
				made = max(made, area(size.Of(w.Width, w.Height)), area(size.Of(w.Height, w.Width)))
			}
		}
		sum += most
	}
	return sum + rate*min(made, n.limits.Pixels)
}

func area(w, h int) int64 { return int64(w) * int64(h) }

func (n *Native) find(b toolbox.Candidate) (operation.Func, error) {
	op, ok := n.table[b.Run]
	if !ok {
		return nil, &plan.Fault{
			Sentence: plan.Say("This program has no built-in way to do that."),
			Err:      fmt.Errorf("unknown native operation %q", b.Run),
		}
	}
	return op, nil
}
