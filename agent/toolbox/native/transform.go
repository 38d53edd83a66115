package native

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

func dimensions(img image.Image) plan.Message {
	return plan.Say("%s × %s pixels", strconv.Itoa(img.Bounds().Dx()), strconv.Itoa(img.Bounds().Dy()))
}

func (n *Native) resize(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "size")
	if err != nil {
		return edited{}, err
	}
	w, h := z.Of(p.Info.Width, p.Info.Height)
	if err := n.checkSize(w, h); err != nil {
		return edited{}, err
	}
	img, err := media.Scaled(ctx, p.Image, w, h)
	if err != nil {
		return edited{}, err
	}
	return edited{img: img, about: plan.Say("resized to %s", dimensions(img))}, nil
}

func (n *Native) upscale(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "factor")
	if err != nil {
		return edited{}, err
	}
	w, h := z.Of(p.Info.Width, p.Info.Height)
	if w < p.Info.Width || h < p.Info.Height {
		return edited{}, refusal("%d × %d pixels would not be larger; to make a picture smaller, ask to resize it.", w, h)
	}
	if err := n.checkSize(w, h); err != nil {
		return edited{}, err
	}
	img, err := media.Scaled(ctx, p.Image, w, h)
	if err != nil {
		return edited{}, err
	}
	return edited{
		img: img, about: plan.Say("enlarged to %s", dimensions(img)),
		note: plan.Say("It was enlarged by interpolation, which is approximate: no detail was added."),
	}, nil
}

func thumbnail(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	z, err := toolbox.Need[quantity.Sizing](c, "size")
	if err != nil {
		return edited{}, err
	}
	w, h := z.Width, z.Height
	switch {
	case z.Factor > 0:
		w, h = z.Of(p.Info.Width, p.Info.Height)
	case w == 0 || h == 0: // one number is the longer side, whichever that is
		w = max(w, h)
		h = w
	}
	// The box is filled without changing the proportions, and never by enlarging.
	f := min(float64(w)/float64(p.Info.Width), float64(h)/float64(p.Info.Height), 1)
	w, h = quantity.Sizing{Factor: f}.Of(p.Info.Width, p.Info.Height)
	img, err := media.Scaled(ctx, p.Image, w, h)
	if err != nil {
		return edited{}, err
	}
	return edited{img: img, about: plan.Say("thumbnail of %s", dimensions(img))}, nil
}

func (n *Native) rotate(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	turn, err := toolbox.Need[param.Turn](c, "angle")
	switch {
	case err != nil:
		return edited{}, err
	case turn.Upright:
		return upright(p)
	}
	angle := turn.Degrees
	// A turned picture needs at most its diagonal each way.
	if side := p.Info.Width + p.Info.Height; angle != 0 && angle != 90 && angle != 180 && angle != 270 {
		if err := n.checkSize(side*3/4, side*3/4); err != nil {
			return edited{}, err
		}
	}
	// What becomes free is transparent, or white where the format knows no transparency.
	img, err := turned(ctx, p.Image, angle)
	return edited{img: img, about: turnedBy(angle)}, err
}

// turnedBy tells of a turn the shorter way round. The angle is in degrees clockwise, from 0 up to
// 360.
func turnedBy(angle float64) plan.Message {
	if angle > 180 {
		return plan.Say("turned by %s degrees anticlockwise", strconv.FormatFloat(360-angle, 'g', -1, 64))
	}
	return plan.Say("turned by %s degrees clockwise", strconv.FormatFloat(angle, 'g', -1, 64))
}

// upright is the picture as the camera says that people see it: nothing else tells which way
// is up.
func upright(p media.Picture) (edited, error) {
	if !p.Turned {
		return edited{}, &plan.Fault{
			Sentence: plan.Say("I cannot see which way is up in this picture. Please say how to turn it: left, right or upside down."),
			Err:      errors.New("the picture has no orientation in its metadata"),
		}
	}
	return edited{img: p.Image, about: plan.Say("set upright, as the camera noted it")}, nil
}

func flip(ctx context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	direction, err := toolbox.Need[string](c, "direction")
	if err != nil {
		return edited{}, err
	}
	orientation, about := 2, plan.Say("mirrored left to right")
	switch direction {
	case "both":
		orientation, about = 3, plan.Say("mirrored both ways")
	case "vertical":
		orientation, about = 4, plan.Say("mirrored top to bottom")
	}
	img, err := media.Oriented(ctx, p.Image, orientation)
	return edited{img: img, about: about}, err
}

func convert(_ context.Context, p media.Picture, c toolbox.Call) (edited, error) {
	name, err := toolbox.Need[string](c, "format")
	if err != nil {
		return edited{}, err
	}
	f, ok := media.FormatNamed(name)
	if !ok {
		return edited{}, fmt.Errorf("no picture is written as %q", name)
	}
	return edited{img: p.Image, format: f, about: plan.Say("as %s", string(f))}, nil
}
