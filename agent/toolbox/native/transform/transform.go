// Package transform changes the size, orientation, format or file size of pictures.
package transform

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

func (o operations) resize(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "size")
	if err != nil {
		return picture.Edited{}, err
	}
	w, h := z.Of(p.Info.Width, p.Info.Height)
	if err := picture.CheckSize(w, h, o.limits); err != nil {
		return picture.Edited{}, err
	}
	scaled := media.Scaled
	if edges, _ := toolbox.Param[string](c, "edges"); edges == "crisp" {
		scaled = media.Pixelated
	}
	img, err := scaled(ctx, p.Image, w, h)
	if err != nil {
		return picture.Edited{}, err
	}
	out := picture.Edited{Image: img, About: plan.Say("resized to %s", picture.Dimensions(img))}
	if stretch := float64(w*p.Info.Height) / float64(h*p.Info.Width); stretch > mostStretched || stretch < 1/mostStretched {
		asked := fmt.Sprintf("%dx%d", w, h)
		out.Note = plan.Say(
			"The picture had another shape, so it was stretched. To keep its proportions, ask for %s cropped, or for %s with bars.", asked, asked)
	}
	return out, nil
}

// mostStretched is the largest change of the aspect ratio that needs no note.
const mostStretched = 1.03

func (o operations) upscale(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "factor")
	if err != nil {
		return picture.Edited{}, err
	}
	w, h := z.Of(p.Info.Width, p.Info.Height)
	if w < p.Info.Width || h < p.Info.Height {
		return picture.Edited{}, plan.Refusal("%d × %d pixels would not be larger; to make a picture smaller, ask to resize it.", w, h)
	}
	if err := picture.CheckSize(w, h, o.limits); err != nil {
		return picture.Edited{}, err
	}
	img, err := media.Scaled(ctx, p.Image, w, h)
	if err != nil {
		return picture.Edited{}, err
	}
	return picture.Edited{
		Image: img, About: plan.Say("enlarged to %s", picture.Dimensions(img)),
		Note: plan.Say("It was enlarged by interpolation, which is approximate: no detail was added."),
	}, nil
}

func thumbnail(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "size")
	if err != nil {
		return picture.Edited{}, err
	}
	w, h := z.Width, z.Height
	switch {
	case z.Factor > 0:
		w, h = z.Of(p.Info.Width, p.Info.Height)
	case w == 0 || h == 0: // a single number means the longer side
		w = max(w, h, z.Longest)
		h = w
	}
	// Fit the box, keeping the proportions and never enlarging.
	f := min(float64(w)/float64(p.Info.Width), float64(h)/float64(p.Info.Height), 1)
	w, h = quantity.Sizing{Factor: f}.Of(p.Info.Width, p.Info.Height)
	img, err := media.Scaled(ctx, p.Image, w, h)
	if err != nil {
		return picture.Edited{}, err
	}
	return picture.Edited{Image: img, About: plan.Say("thumbnail of %s", picture.Dimensions(img))}, nil
}

func (o operations) rotate(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	turn, err := toolbox.Need[param.Turn](c, "angle")
	switch {
	case err != nil:
		return picture.Edited{}, err
	case turn.Upright:
		return upright(p)
	}
	angle := turn.Degrees
	// A rotated picture needs at most its diagonal in both directions.
	if side := p.Info.Width + p.Info.Height; angle != 0 && angle != 90 && angle != 180 && angle != 270 {
		if err := picture.CheckSize(side*3/4, side*3/4, o.limits); err != nil {
			return picture.Edited{}, err
		}
	}
	// New areas are transparent, or white in formats without transparency.
	img, err := turned(ctx, p.Image, angle)
	return picture.Edited{Image: img, About: turnedBy(angle)}, err
}

// turnedBy describes a rotation in its shorter direction. The angle is in degrees clockwise, 0 to 360.
func turnedBy(angle float64) plan.Message {
	if angle > 180 {
		return plan.Say("rotated %s degrees anticlockwise", strconv.FormatFloat(360-angle, 'g', -1, 64))
	}
	return plan.Say("rotated %s degrees clockwise", strconv.FormatFloat(angle, 'g', -1, 64))
}

// upright applies the EXIF orientation: nothing else says which way is up.
func upright(p media.Picture) (picture.Edited, error) {
	if !p.Turned {
		return picture.Edited{}, &plan.Fault{
			Sentence: plan.Say("I cannot see which way is up in this picture. Please say how to turn it: left, right or upside down."),
			Err:      errors.New("the picture has no orientation in its metadata"),
		}
	}
	return picture.Edited{Image: p.Image, About: plan.Say("set upright, as the camera noted it")}, nil
}

func flip(ctx context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	direction, err := toolbox.Need[string](c, "direction")
	if err != nil {
		return picture.Edited{}, err
	}
	orientation, about := 2, plan.Say("mirrored left to right")
	switch direction {
	case "both":
		orientation, about = 3, plan.Say("mirrored both ways")
	case "vertical":
		orientation, about = 4, plan.Say("mirrored top to bottom")
	}
	img, err := media.Oriented(ctx, p.Image, orientation)
	return picture.Edited{Image: img, About: about}, err
}

func convert(_ context.Context, p media.Picture, c toolbox.Call) (picture.Edited, error) {
	name, err := toolbox.Need[string](c, "format")
	if err != nil {
		return picture.Edited{}, err
	}
	f, ok := media.FormatNamed(name)
	if !ok {
		return picture.Edited{}, fmt.Errorf("unknown picture format %q", name)
	}
	out := picture.Edited{Image: p.Image, Format: f, About: plan.Say("as %s", f.Title())}
	if out.Quality, ok = toolbox.Param[int](c, "quality"); ok && !f.Lossy() {
		out.Note = plan.Say("%s is lossless, so it has no quality setting.", f.Title())
	}
	return out, nil
}
