// Package bottest helps the tests of the program.
package bottest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"testing"
)

// Hush is a word that is part of every secret of these tests.
const Hush = "hush-hush"

// Check ends a test that met an error.
func Check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// Write writes a file of a test.
func Write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// PictureBytes is a PNG with a light rectangle on a dark ground.
func PictureBytes(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, rectangle(w, h)); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// rectangle is a light rectangle over the middle half of a dark ground.
func rectangle(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{20, 30, 40, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(w/4, h/4, w*3/4, h*3/4), image.NewUniform(color.NRGBA{230, 220, 210, 255}), image.Point{}, draw.Src)
	return img
}
