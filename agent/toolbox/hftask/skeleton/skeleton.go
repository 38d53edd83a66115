// Package skeleton draws human poses in OpenPose's style (COCO-18: the 17 COCO keypoints and the neck; one
// colour per limb and joint, limbs at 60 percent), because models that follow a pose were trained on it.
package skeleton

import (
	"image"
	"image/color"
	"maps"
	"math"
)

// joints are OpenPose's keypoints in its order, by their COCO names. The neck, which COCO lacks, is midway
// between the shoulders.
var joints = []string{
	"nose", "neck", "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow", "left_wrist",
	"right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle", "right_eye", "left_eye", "right_ear", "left_ear",
}

// COCO lists the keypoint names in COCO's order, for servers that omit them.
var COCO = []string{
	"nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
	"left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
}

// limbs are pairs of indices into joints.
var limbs = [][2]int{
	{1, 2}, {1, 5}, {2, 3}, {3, 4}, {5, 6}, {6, 7}, {1, 8}, {8, 9}, {9, 10}, {1, 11}, {11, 12}, {12, 13}, {1, 0}, {0, 14}, {14, 16}, {0, 15}, {15, 17},
}

// colours are the colours of the joints; the limbs use the first ones.
var colours = []color.NRGBA{
	{255, 0, 0, 255}, {255, 85, 0, 255}, {255, 170, 0, 255}, {255, 255, 0, 255}, {170, 255, 0, 255}, {85, 255, 0, 255},
	{0, 255, 0, 255}, {0, 255, 85, 255}, {0, 255, 170, 255}, {0, 255, 255, 255}, {0, 170, 255, 255}, {0, 85, 255, 255},
	{0, 0, 255, 255}, {85, 0, 255, 255}, {170, 0, 255, 255}, {255, 0, 255, 255}, {255, 0, 170, 255}, {255, 0, 85, 255},
}

// Skeleton holds the coordinates of a person's joints in pixels; those of absent joints are NaN.
type Skeleton [18]struct{ x, y float64 }

// New returns the skeleton of keypoints by their COCO names. The neck is added midway between the shoulders.
func New(at map[string]image.Point) Skeleton {
	at = maps.Clone(at)
	left, l := at["left_shoulder"]
	right, r := at["right_shoulder"]
	if l && r {
		at["neck"] = left.Add(right).Div(2)
	}
	var out Skeleton
	for i, name := range joints {
		out[i].x, out[i].y = math.NaN(), math.NaN()
		if place, ok := at[name]; ok {
			out[i].x, out[i].y = float64(place.X), float64(place.Y)
		}
	}
	return out
}

// Draw draws people on a black background, and reports whether anything was drawn.
func Draw(size image.Point, people []Skeleton) (img *image.NRGBA, drawn bool) {
	img = image.NewNRGBA(image.Rectangle{Max: size})
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	thick := max(2, float64(min(size.X, size.Y))/128)
	for _, p := range people {
		for i, limb := range limbs {
			a, b := p[limb[0]], p[limb[1]]
			if math.IsNaN(a.x) || math.IsNaN(b.x) {
				continue
			}
			c := colours[i]
			stroke(img, a.x, a.y, b.x, b.y, thick, color.NRGBA{c.R / 5 * 3, c.G / 5 * 3, c.B / 5 * 3, 255})
			drawn = true
		}
		for i, joint := range p {
			if !math.IsNaN(joint.x) {
				stroke(img, joint.x, joint.y, joint.x, joint.y, thick, colours[i])
				drawn = true
			}
		}
	}
	return img, drawn
}

// stroke draws a line with round ends: all pixels within thick of it.
func stroke(img *image.NRGBA, x0, y0, x1, y1, thick float64, c color.NRGBA) {
	dx, dy := x1-x0, y1-y0
	length := dx*dx + dy*dy
	around := image.Rect(int(min(x0, x1)-thick), int(min(y0, y1)-thick), int(max(x0, x1)+thick)+2, int(max(y0, y1)+thick)+2).Intersect(img.Rect)
	for y := around.Min.Y; y < around.Max.Y; y++ {
		for x := around.Min.X; x < around.Max.X; x++ {
			px, py := float64(x)-x0, float64(y)-y0
			along := 0.0
			if length > 0 {
				along = min(max((px*dx+py*dy)/length, 0), 1)
			}
			if math.Hypot(px-along*dx, py-along*dy) <= thick {
				img.SetNRGBA(x, y, c)
			}
		}
	}
}
