package localai

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// depthRequest is the request for a depth map (LocalAI, swagger, schema.DepthRequest).
type depthRequest struct {
	Model        string `json:"model"`
	Image        string `json:"image"`
	IncludeDepth bool   `json:"include_depth"`
}

// depthSide is the longest side of a picture for depth estimation, in pixels: the answer has a JSON number
// for each pixel, and the models look at fewer.
const depthSide = 1024

// depth draws the depth map of a picture; near is bright.
func (ps *pictures) depth(ctx context.Context, j job) (toolbox.Output, error) {
	s, err := ps.send(ctx, j, depthSide)
	if err != nil {
		return toolbox.Output{}, err
	}
	body, err := ps.post(ctx, "/v1/depth", j, depthRequest{Model: j.model, Image: s.dataURI(), IncludeDepth: true})
	if err != nil {
		return toolbox.Output{}, err
	}
	small, err := readDepth(body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if !sameShape(small.Bounds().Size(), s.full) {
		return toolbox.Output{}, unreadable(fmt.Errorf("the depth map has size %v, but the picture has %v", small.Bounds().Size(), s.full))
	}
	leave, err := ps.limits.Memory.Take(ctx, 12*int64(s.full.X)*int64(s.full.Y))
	if err != nil {
		return toolbox.Output{}, err
	}
	defer leave()
	picture, err := media.Scaled(ctx, small, s.full.X, s.full.Y)
	if err != nil {
		return toolbox.Output{}, err
	}
	path := filepath.Join(j.Dir, "depth.png")
	if err := media.EncodeImage(ctx, path, picture, media.PNG); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: plan.Say("bright is near")}, nil
}

// sameShape reports whether a map has the shape of the picture, within the 64-pixel steps of models.
func sameShape(size, full image.Point) bool {
	const step = 64
	across, down := float64(full.X)/float64(size.X), float64(full.Y)/float64(size.Y)
	return math.Abs(across-down)*float64(size.X) <= step*across || math.Abs(across-down)*float64(size.Y) <= step*down
}

// readDepth parses a map of distances, row by row (LocalAI, swagger, schema.DepthResponse), and draws it.
func readDepth(body []byte) (*image.NRGBA, error) {
	var answer struct {
		Width  int       `json:"width"`
		Height int       `json:"height"`
		Depth  []float64 `json:"depth"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, unreadable(err)
	}
	w, h, n := answer.Width, answer.Height, len(answer.Depth)
	if w < 1 || h < 1 || w > n || h > n || w*h != n {
		return nil, unreadable(fmt.Errorf("the depth map has %d values for %d × %d pixels", n, w, h))
	}
	near := nearness(answer.Depth)
	least, most := slices.Min(near), slices.Max(near)
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range near {
		grey := uint8(127)
		if most > least {
			grey = uint8((v - least) / (most - least) * 255)
		}
		img.SetNRGBA(i%w, i/w, color.NRGBA{grey, grey, grey, 255})
	}
	return img, nil
}

// nearness inverts distances so that near is high, as drawing models expect: 1/distance, or a linear scale
// if a distance is not positive. The nearest and farthest percent are clamped, since single pixels are often
// outliers.
func nearness(distances []float64) []float64 {
	order := slices.Sorted(slices.Values(distances))
	low, high := order[len(order)/100], order[len(order)-1-len(order)/100]
	near := make([]float64, len(distances))
	for i, d := range distances {
		d = min(max(d, low), high)
		if low > 1e-6 {
			near[i] = 1 / d
		} else {
			near[i] = high/2 - d/2 // halved, so that the difference cannot overflow
		}
	}
	return near
}
