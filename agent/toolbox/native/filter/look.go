// Package filter changes the look of pictures or parts of them: colours, blur, covers, and maps of
// edges, lines and normals. Sizes stay the same.
package filter

import (
	"context"
	"image"
	"math"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/quantity"
)

func greyscale(ctx context.Context, p media.Picture, _ toolbox.Call) (picture.Edited, error) {
	err := inPlace(ctx, p.Image, imaging.Grayscale)
	return picture.Edited{Image: p.Image, About: plan.Say("in shades of grey")}, err
}

// maxBlur is the maximum blur in pixels; nothing is recognizable beyond it.
const maxBlur = 100

func blur(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	s, _ := toolbox.Param[quantity.Strength](c, "strength")
	sigma := s.Pixels
	if sigma == 0 { // levels scale with the picture, so that they look the same at any size
		long := float64(max(p.Info.Width, p.Info.Height))
		switch s.Level {
		case quantity.Little:
			sigma = max(1, long*0.003)
		case quantity.Lot:
			sigma = max(5, long*0.025)
		default:
			sigma = max(2, long*0.008)
		}
	}
	sigma = min(sigma, maxBlur)
	err := blurred(ctx, p.Image, p.Image, sigma)
	return picture.Edited{Image: p.Image, About: plan.Say("blurred (%.1f pixels)", sigma)}, err
}

func adjust(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	changes, err := toolbox.Need[[]quantity.Adjustment](c, "adjustment")
	if err != nil {
		return picture.Edited{}, err
	}
	var done []plan.Message
	for _, a := range changes {
		if err := adjusted(ctx, p.Image, a); err != nil {
			return picture.Edited{}, err
		}
		done = append(done, adjustment(a))
	}
	return picture.Edited{Image: p.Image, About: plan.Join("%s, %s", done...)}, nil
}

// adjustment describes a change, with its amount unless it is all or nothing.
func adjustment(a quantity.Adjustment) plan.Message {
	percent := 100 * a.By
	switch a.Property {
	case quantity.Brightness:
		return plan.Say("brightness %+.0f%%", percent)
	case quantity.Exposure:
		return plan.Say("exposure %+.1f stops", a.By)
	case quantity.Contrast:
		return plan.Say("contrast %+.0f%%", percent)
	case quantity.Saturation:
		return plan.Say("saturation %+.0f%%", percent)
	case quantity.Warmth:
		return plan.Say("warmth %+.0f%%", percent)
	case quantity.Sharpness:
		return plan.Say("sharpness %+.0f%%", percent)
	case quantity.Vignette:
		return plan.Say("darker at the edges, %.0f%%", percent)
	case quantity.Sepia:
		return plan.Say("sepia")
	case quantity.Invert:
		return plan.Say("inverted")
	}
	return plan.Quote(string(a.Property))
}

// adjusted applies one change to the picture in place.
func adjusted(ctx context.Context, img *image.NRGBA, a quantity.Adjustment) error {
	percent := 100 * a.By
	var change func(image.Image) *image.NRGBA
	switch a.Property {
	case quantity.Brightness:
		return brightened(ctx, img, a.By)
	case quantity.Contrast:
		return contrasted(ctx, img, 1+a.By)
	case quantity.Exposure:
		return exposed(ctx, img, a.By)
	case quantity.Saturation:
		change = func(band image.Image) *image.NRGBA { return imaging.AdjustSaturation(band, percent) }
	case quantity.Warmth:
		return mixed(ctx, img, [3][3]float64{{1 + a.By/2, 0, 0}, {0, 1, 0}, {0, 0, 1 - a.By/2}})
	case quantity.Sharpness:
		if a.By < 0 {
			return blurred(ctx, img, img, -4*a.By)
		}
		return sharpened(ctx, img, 5*a.By)
	case quantity.Vignette:
		return vignetted(ctx, img, a.By)
	case quantity.Sepia:
		return mixed(ctx, img, [3][3]float64{{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}})
	case quantity.Invert:
		change = imaging.Invert
	}
	return inPlace(ctx, img, change)
}

// vignetted darkens a picture towards its corners as a lens does, by the fourth power of the cosine.
// It matches ffmpeg's vignette for videos.
func vignetted(ctx context.Context, img *image.NRGBA, by float64) error {
	angle := min(1.5, 0.25+1.5*by)
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	far := math.Hypot(w, h) / 2
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, to int) {
		for y := from; y < to; y++ {
			row := img.Pix[y*img.Stride:]
			for x := range img.Rect.Dx() {
				cos := math.Cos(angle * math.Hypot(float64(x)+0.5-w/2, float64(y)+0.5-h/2) / far)
				keep := cos * cos * cos * cos
				for v := range 3 {
					row[4*x+v] = uint8(float64(row[4*x+v])*keep + 0.5)
				}
			}
		}
	})
}

// contrasted scales each value's distance from the middle grey by a factor.
func contrasted(ctx context.Context, img *image.NRGBA, factor float64) error {
	return valued(ctx, img, func(v float64) float64 { return 0.5 + (v-0.5)*factor })
}

// brightened lifts the middle tones, so that black stays black and nothing bright is clipped, or
// darkens all tones alike.
func brightened(ctx context.Context, img *image.NRGBA, by float64) error {
	if by < 0 {
		return valued(ctx, img, func(v float64) float64 { return v * (1 + by) })
	}
	return valued(ctx, img, func(v float64) float64 { return math.Pow(v, 1/(1+2*by)) })
}

// exposed doubles the light with each stop. Values are those of sRGB.
func exposed(ctx context.Context, img *image.NRGBA, stops float64) error {
	gain := math.Exp2(stops)
	return valued(ctx, img, func(v float64) float64 {
		light := v / 12.92
		if v > 0.04045 {
			light = math.Pow((v+0.055)/1.055, 2.4)
		}
		if light *= gain; light <= 0.0031308 {
			return 12.92 * light
		}
		return 1.055*math.Pow(light, 1/2.4) - 0.055
	})
}

// valued replaces each value, from 0 to 1, of red, green and blue. Alpha stays.
func valued(ctx context.Context, img *image.NRGBA, change func(float64) float64) error {
	var to [256]uint8
	for v := range to {
		to[v] = uint8(255*min(max(change(float64(v)/255), 0), 1) + 0.5)
	}
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(first, last int) {
		for i := first * img.Stride; i < last*img.Stride; i += 4 {
			for c := range 3 {
				img.Pix[i+c] = to[img.Pix[i+c]]
			}
		}
	})
}

// mixed replaces each channel by a weighted sum of the three. Alpha stays.
func mixed(ctx context.Context, img *image.NRGBA, m [3][3]float64) error {
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, to int) {
		for i := from * img.Stride; i < to*img.Stride; i += 4 {
			r, g, b := float64(img.Pix[i]), float64(img.Pix[i+1]), float64(img.Pix[i+2])
			for c, w := range m {
				img.Pix[i+c] = uint8(min(max(w[0]*r+w[1]*g+w[2]*b, 0), 255) + 0.5)
			}
		}
	})
}

// inPlace applies a per-pixel change to a picture, band by band.
func inPlace(ctx context.Context, img *image.NRGBA, change func(image.Image) *image.NRGBA) error {
	return media.InBands(ctx, img.Rect.Dy(), media.BandRows(img.Rect.Dx()), func(from, to int) {
		band := change(img.SubImage(image.Rect(0, from, img.Rect.Dx(), to)))
		copy(img.Pix[from*img.Stride:], band.Pix)
	})
}
