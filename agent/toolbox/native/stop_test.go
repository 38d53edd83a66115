package native

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/toolboxtest"
)

// ending is a context that ends after Err was called a number of times.
type ending struct {
	context.Context //nolint:containedctx // it is one

	left chan struct{}
}

func endsAfter(looks int) ending {
	return ending{context.Background(), make(chan struct{}, looks)}
}

func (e ending) Err() error {
	select {
	case e.left <- struct{}{}:
		return nil
	default:
		return context.Canceled
	}
}

// Every operation on pictures stops with its context at any point, and reports it.
func TestOperationsStopWithTheirContext(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	v := w.Given("a.png", nativetest.Colourful(300, 200))
	box := w.Boxes(plan.Box{Label: "cat", XMin: 10, YMin: 10, XMax: 90, YMax: 90})
	for op, a := range map[string]nativetest.Args{
		"add_text_to_image": {"image": {v}, "caption": {nativetest.Text("hello")}}, "adjust_image": {"image": {v}, "adjustment": {nativetest.Text("sharper, sepia, brighter")}},
		"blur_image": {"image": {v}}, "collage_images": {"images": {v, v}}, "stack_pictures": {"first": {v}, "second": {v}}, "convert_image": {"image": {v}, "format": {nativetest.Text("gif")}},
		"crop_region": {"image": {v}, "region": {nativetest.Text("left half")}}, "fit_image_size": {"image": {v}, "limit": {nativetest.Text("1 kB")}},
		"flip_image": {"image": {v}}, "greyscale_image": {"image": {v}}, "highlight_object_on_image": {"image": {v}, "bbox": {box}},
		"image_cropping": {"image": {v}, "bbox": {box}}, "image_to_edge": {"image": {v}}, "image_to_line": {"image": {v}},
		"images_to_gif": {"images": {v, v}}, "make_thumbnail": {"image": {v}}, "mask_image": {"image": {v}, "mask": {v}},
		"mask_from_boxes":   {"image": {v}, "bbox": {box}},
		"normal_from_depth": {"depth": {v}}, "resize_image": {"image": {v}, "size": {nativetest.Text("half")}},
		"rotate_image": {"image": {v}, "angle": {nativetest.Text("30 degrees")}}, "upscale_image": {"image": {v}},
	} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			how := toolbox.Backing{Kind: "native", Run: op}
			for looks := range 12 {
				call, err := toolboxtest.Typed(t, how, toolbox.Call{Tool: op, Args: a, Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				_, err = n.Run(endsAfter(looks), toolbox.Candidate{Backing: how}, call)
				if !errors.Is(err, context.Canceled) || !strings.HasPrefix(plan.Sentence(err, plan.Message{}).String(), "It was stopped") {
					t.Fatalf("after %d looks: %v", looks, err)
				}
			}
		})
	}
}

// A call waits for memory, and can be cancelled meanwhile; one that needs more than there is fails.
func TestCallsWaitForMemory(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	a := nativetest.Args{"image": {w.Given("a.png", nativetest.Colourful(300, 200))}}
	needs := n.weigh("flip_image", toolbox.Call{Args: a})
	budget := func(whole int64) *memory.Budget {
		b, err := memory.New(memory.Config{Limit: (whole + 3) / 3 * 4})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	flip := func(ctx context.Context, b *memory.Budget) error {
		n, err := New(Config{Limits: media.Limits{Memory: b}})
		if err != nil {
			t.Fatal(err)
		}
		how := toolbox.Backing{Kind: "native", Run: "flip_image"}
		call, err := toolboxtest.Typed(t, how, toolbox.Call{Args: a, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = n.Run(ctx, toolbox.Candidate{Backing: how}, call)
		return err
	}
	enough := budget(needs)
	giveBack, err := enough.Take(t.Context(), needs)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := flip(ctx, enough); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(plan.Sentence(err, plan.Message{}).String(), "It was stopped before it ") {
		t.Errorf("without memory: %v", err)
	}
	giveBack()
	for range 2 { // the second one reuses the memory of the first
		if err := flip(t.Context(), enough); err != nil {
			t.Error(err)
		}
	}
	if said := plan.Sentence(flip(t.Context(), budget(needs/2)), plan.Message{}).String(); !strings.Contains(said, "It would take "+plan.FileSize(needs).String()+" of memory") {
		t.Errorf("with too little: %q", said)
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	v, small := w.Given("a.png", nativetest.Colourful(300, 200)), w.Given("b.png", nativetest.Colourful(100, 100))
	for _, c := range []struct {
		run  string
		a    nativetest.Args
		want int64 // in bytes, without the files
	}{
		{"flip_image", nativetest.Args{"image": {v}}, 8 * 60_000},
		{"image_to_edge", nativetest.Args{"image": {v}}, 20 * 60_000},
		{"mask_image", nativetest.Args{"image": {v}, "mask": {small}}, 8 * 70_000},
		{"collage_images", nativetest.Args{"images": {small, v, small}}, 8*60_000 + 4*80_000}, // read one at a time
		{"resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text("twice as big")}}, 12*60_000 + 12*240_000},
		{"resize_image", nativetest.Args{"image": {v}, "size": {nativetest.Text("600 px wide")}}, 12*60_000 + 12*600*900}, // it may be rotated
		{"upscale_image", nativetest.Args{"image": {v}}, 12*60_000 + 12*240_000},
		{"summarization", nativetest.Args{"text": {nativetest.Text("hello")}}, 0},
	} {
		const files = 60_000
		call, err := toolboxtest.Typed(t, toolbox.Backing{Kind: "native", Run: c.run}, toolbox.Call{Args: c.a})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.weigh(c.run, call); got < c.want || got > c.want+files {
			t.Errorf("%s weighs %d, want %d", c.run, got, c.want)
		}
	}
}

// Explicit requests that are impossible fail finally.
func TestSenselessAmountsAreFinal(t *testing.T) {
	t.Parallel()
	n := built(t)
	w := nativetest.New(t, n.table)
	v := w.Given("a.png", nativetest.Colourful(60, 40))
	long := strings.Repeat("first ", 30)
	for _, c := range []struct{ op, arg, said string }{
		{"fit_image_size", "limit", "smaller than 1 byte"}, {"fit_image_size", "limit", "-5 MB"},
		{"resize_image", "size", "100000x100000 pixels"}, {"resize_image", "size", "0 x 0"}, {"resize_image", "size", "-50%"},
		{"resize_image", "size", long}, {"blur_image", "strength", long}, {"rotate_image", "angle", "1e400 degrees"},
		{"rotate_image", "angle", "NaN degrees"}, {"adjust_image", "adjustment", "brighter but darker"},
		{"upscale_image", "factor", "larger and smaller"}, {"convert_image", "format", long},
		{"add_text_to_image", "caption", ""}, {"add_text_to_image", "caption", "“ ”"}, {"add_text_to_image", "caption", "\u200b\x00"},
	} {
		_, err := w.Try(c.op, nativetest.Args{"image": {v}, c.arg: {nativetest.Text(c.said)}})
		sentence := plan.Sentence(err, plan.Message{}).String()
		if !plan.Final(err) || sentence == "" || strings.Contains(sentence, long[:41]) {
			t.Errorf("%s, %q: %v", c.op, c.said, err)
		}
	}
}
