package media

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/agent/plan"
)

func TestInBandsDoesEachRowOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ height, rows int }{{1, 16}, {16, 16}, {100, 7}, {33, 16}} {
		done := make([]atomic.Int32, c.height)
		if err := InBands(t.Context(), c.height, c.rows, func(from, to int) {
			for y := from; y < to; y++ {
				done[y].Add(1)
			}
		}); err != nil {
			t.Fatal(err)
		}
		for y := range done {
			if n := done[y].Load(); n != 1 {
				t.Errorf("row %d of %d was done %d times", y, c.height, n)
			}
		}
	}
}

func TestInBandsStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	err := InBands(ctx, 1_000_000, 1, func(int, int) { calls.Add(1); cancel() })
	if !errors.Is(err, context.Canceled) || plan.Sentence(err, plan.Message{}).String() == "" {
		t.Errorf("stopped with %v", err)
	}
	if n := calls.Load(); n > 1000 {
		t.Errorf("%d bands were done", n)
	}
	defer func() {
		if p := recover(); p != "no canvas" {
			t.Errorf("the panic that came was %v", p)
		}
	}()
	err = InBands(t.Context(), 10, 1, func(int, int) { panic("no canvas") })
	t.Errorf("a panic became %v", err)
}

// Reading and writing stop when the context has ended, and leave nothing behind.
func TestPicturesStopWithTheirContext(t *testing.T) {
	t.Parallel()
	img := quarters(64, 64)
	dir := t.TempDir()
	for _, f := range []Format{PNG, JPEG, GIF, BMP, TIFF} {
		path := filepath.Join(dir, "a."+string(f))
		if err := EncodeImage(t.Context(), path, img, f); err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		refused := func(what string, err error) {
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(plan.Sentence(err, plan.Message{}).String(), "It was stopped") {
				t.Errorf("%s %s: %v", what, f, err)
			}
		}
		_, err := ReadPicture(ended, path, Limits{})
		refused("read", err)
		_, err = ReadMask(ended, path, Limits{})
		refused("read as a mask", err)
		_, err = Inspect(ended, path, Limits{})
		refused("inspect", err)
		again := filepath.Join(dir, "b."+string(f))
		refused("write", EncodeImage(ended, again, img, f))
		if _, err := Inspect(t.Context(), again, Limits{}); err == nil {
			t.Errorf("a broken %s was left behind", f)
		}
	}
}
