package media

import (
	"image"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMasksComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{1, 2, 3, 15, 16, 100, MaxParts} {
		m := NewMask(23, 17, parts)
		for i := range m.Index {
			m.Index[i] = uint8(i % (parts + 1))
		}
		path := filepath.Join(t.TempDir(), "mask.png")
		if err := WriteMask(t.Context(), path, m); err != nil {
			t.Fatal(err)
		}
		got, err := ReadMask(t.Context(), path, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Errorf("%d parts: %s", parts, diff)
		}
	}
}

func TestPartsHaveColoursThatDiffer(t *testing.T) {
	t.Parallel()
	seen := map[color.Color]int{color.RGBA{A: 255}: -1}
	for i := range 40 {
		c, ok := partColour(i, 40).(color.RGBA)
		if !ok {
			t.Fatalf("part %d has no colour of four channels", i)
		}
		if before, twice := seen[c]; twice {
			t.Errorf("parts %d and %d have the colour %v", before, i, c)
		}
		if c.R == c.G && c.G == c.B {
			t.Errorf("part %d is grey", i)
		}
		seen[c] = i
	}
}

func TestAnyPictureIsAMask(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 6, 1))
	for x, c := range []color.NRGBA{
		{255, 255, 255, 255}, {0, 0, 0, 255}, {128, 128, 128, 255}, {127, 127, 127, 255}, {255, 255, 255, 20}, {255, 255, 0, 255},
	} {
		img.SetNRGBA(x, 0, c)
	}
	m, err := ReadMask(t.Context(), store(t, "m.png", pngOf(t, img)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Mask{Width: 6, Height: 1, Parts: 1, Index: []uint8{1, 0, 1, 0, 0, 1}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}

	// White first: a greyscale palette, not one of parts.
	two := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.White, color.Black})
	two.Pix[1] = 1
	m, err = ReadMask(t.Context(), store(t, "two.png", pngOf(t, two)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint8{1, 0}, m.Index); diff != "" {
		t.Error(diff)
	}
}

func TestMaskParts(t *testing.T) {
	t.Parallel()
	m := &Mask{Width: 3, Height: 1, Parts: 2, Index: []uint8{0, 1, 2}}
	if got := m.Only(1, 7); got.Parts != 2 || got.At(2, 0) != 1 || got.At(1, 0) != 0 {
		t.Errorf("only the second part: %+v", got)
	}
	if m.At(-1, 0) != 0 || m.At(3, 0) != 0 || m.At(2, 0) != 2 {
		t.Error("a pixel is of the wrong part")
	}
	for _, bad := range []*Mask{NewMask(2, 2, 0), NewMask(2, 2, 256), {Width: 2, Height: 2, Parts: 1}, {Width: 1, Height: 1, Parts: 1, Index: []uint8{2}}} {
		if err := WriteMask(t.Context(), filepath.Join(t.TempDir(), "m.png"), bad); err == nil {
			t.Errorf("the mask %+v was written", bad)
		}
	}
	_, err := ReadMask(t.Context(), store(t, "x.png", []byte("nothing like a picture")), Limits{})
	wantFault(t, err, "x.png")
}
