package vision

import (
	"context"
	"image"
	"image/color"
	"math"
)

// Normals returns the normal map of a depth map in which bright is near: red grows to the right, green
// upwards, blue towards the viewer, and a flat surface is (128, 128, 255). The full depth range counts
// as a quarter of the picture's longer side, so that the result does not depend on the picture's size.
func Normals(ctx context.Context, depth *image.NRGBA) (*image.NRGBA, error) {
	g, err := gradientOf(ctx, depth)
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, g.width, g.height))
	// Sobel's weights add up to 8 for a slope of one grey level per pixel.
	scale := float64(max(g.width, g.height)) / 4 / (8 * 255)
	for y := range g.height {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		for x := range g.width {
			nx := -float64(g.dx[y*g.width+x]) * scale
			ny := float64(g.dy[y*g.width+x]) * scale // the picture's y axis points down
			length := math.Sqrt(nx*nx + ny*ny + 1)
			channel := func(v float64) uint8 { return uint8(math.Round((v/length + 1) * 127.5)) }
			out.SetNRGBA(x, y, color.NRGBA{R: channel(nx), G: channel(ny), B: channel(1), A: 255})
		}
	}
	return out, nil
}
