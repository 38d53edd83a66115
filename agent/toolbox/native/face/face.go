// Package face detects upright frontal faces.
package face

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"image"
	"math"
	"slices"
	"sync"

	pigo "github.com/esimov/pigo/core"
	"golang.org/x/image/draw"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"detect_faces": o.detectFaces,
	}
}

// facefinder is the trained cascade of the pigo library (MIT; see cascade/LICENSE).
//
//go:embed cascade/facefinder
var facefinder []byte

var faceCascade = sync.OnceValues(func() (*pigo.Pigo, error) {
	return pigo.NewPigo().Unpack(facefinder)
})

const (
	// faceSide is the longer side to which a picture is scaled for the search, in pixels.
	faceSide = 1000
	// smallestFace is the minimum side of a face, in pixels of the scaled picture.
	smallestFace = 24
	// sureFace is the minimum detection score for a face. Single hits of the cascade, which also occur
	// in textures, score lower.
	sureFace = 8
)

// detectFaces finds upright frontal faces, as boxes with the label "face".
func (o operations) detectFaces(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	if len(c.Args["image"]) == 0 {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("There is no picture to look for faces in."), Err: errors.New("missing argument image")}
	}
	img, err := media.DecodeImage(ctx, c.Args["image"][0].Path, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	boxes, err := faces(img)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The face detector could not be started."), Err: err}
	}
	value, err := plan.EncodeValue(boxes)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The list of faces could not be written."), Err: err}
	}
	out := toolbox.Output{Value: value, About: plan.Say("no face")}
	if len(boxes) == 0 {
		out.Note = plan.Say("I found no face. Faces that are tiny, tilted or seen from the side are missed.")
		return out, nil
	}
	out.About = plan.Say("one face")
	if len(boxes) > 1 {
		out.About = plan.Say("%d faces", len(boxes))
	}
	return out, nil
}

// faces finds the faces of a picture whose bounds start at (0, 0), highest score first, without
// heavily overlapping boxes.
func faces(img *image.NRGBA) ([]plan.Box, error) {
	cascade, err := faceCascade()
	if err != nil {
		return nil, err
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	scale := min(1, faceSide/float64(max(width, height)))
	grey := image.NewGray(image.Rect(0, 0, max(1, int(float64(width)*scale)), max(1, int(float64(height)*scale))))
	draw.ApproxBiLinear.Scale(grey, grey.Rect, img, img.Rect, draw.Src, nil)
	found := cascade.RunCascade(pigo.CascadeParams{
		MinSize:     smallestFace,
		MaxSize:     min(grey.Rect.Dx(), grey.Rect.Dy()),
		ShiftFactor: 0.1,
		ScaleFactor: 1.1,
		ImageParams: pigo.ImageParams{
			Pixels: grey.Pix, Rows: grey.Rect.Dy(), Cols: grey.Rect.Dx(), Dim: grey.Stride,
		},
	}, 0)
	found = cascade.ClusterDetections(found, 0.2)
	slices.SortStableFunc(found, func(a, b pigo.Detection) int { return cmp.Compare(b.Q, a.Q) })
	var boxes []plan.Box
	for _, f := range found {
		if f.Q < sureFace {
			break
		}
		half := float64(f.Scale) / 2
		pixel := func(at, offset float64, limit int) int {
			return min(max(int(math.Round((at+offset)/scale)), 0), limit)
		}
		b := plan.Box{
			Label: "face",
			Score: math.Round(100*float64(f.Q)/(float64(f.Q)+sureFace)) / 100,
			XMin:  pixel(float64(f.Col), -half, width), XMax: pixel(float64(f.Col), half, width),
			YMin: pixel(float64(f.Row), -half, height), YMax: pixel(float64(f.Row), half, height),
		}
		if !slices.ContainsFunc(boxes, func(o plan.Box) bool { return overlap(b, o) > 0.3 }) {
			boxes = append(boxes, b)
		}
	}
	return boxes, nil
}

// overlap returns the fraction of the smaller box that lies in the other, 0 to 1.
func overlap(a, b plan.Box) float64 {
	ar := image.Rect(a.XMin, a.YMin, a.XMax, a.YMax)
	br := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax)
	both := ar.Intersect(br)
	smaller := min(ar.Dx()*ar.Dy(), br.Dx()*br.Dy())
	if smaller == 0 {
		return 0
	}
	return float64(both.Dx()*both.Dy()) / float64(smaller)
}
