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

// depthRequest is what is asked (LocalAI, swagger, schema.DepthRequest).
type depthRequest struct {
	Model        string `json:"model"`
	Image        string `json:"image"`
	IncludeDepth bool   `json:"include_depth"`
}

// depthSide is the most pixels a side of a picture whose depth is estimated: the answer
// spells out a number for each, and the models look at fewer.
const depthSide = 1024

// depth draws how far away everything is: what is near is bright.
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
	if !alike(small.Bounds().Size(), s.full) {
		return toolbox.Output{}, unreadable(fmt.Errorf("a map of %v for a picture of %v", small.Bounds().Size(), s.full))
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

// alike reports whether a map may be one of a picture: of its shape, but for the steps of
// pixels in which models count.
func alike(size, full image.Point) bool {
	const step = 64
	across, down := float64(full.X)/float64(size.X), float64(full.Y)/float64(size.Y)
	return math.Abs(across-down)*float64(size.X) <= step*across || math.Abs(across-down)*float64(size.Y) <= step*down
}

// readDepth reads a map of distances, row by row (LocalAI, swagger, schema.DepthResponse),
// and draws it.
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
		return nil, unreadable(fmt.Errorf("%d distances for %d × %d pixels", n, w, h))
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

// nearness turns distances round, so that what is far counts little, as in the maps that
// other models draw from: one over each, unless some are not above zero. The nearest and
// farthest hundredth count as one, since single pixels are often wild.
func nearness(distances []float64) []float64 {
	order := slices.Sorted(slices.Values(distances))
	low, high := order[len(order)/100], order[len(order)-1-len(order)/100]
	near := make([]float64, len(distances))
	for i, d := range distances {
		d = min(max(d, low), high)
		if low > 1e-6 {
			near[i] = 1 / d
		} else {
			near[i] = high/2 - d/2 // halves, so that no sum overflows
		}
	}
	return near
}
