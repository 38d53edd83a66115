package localaitest

import (
	"errors"
	"fmt"
	"image"
	"image/color"

	"atelier/agent/toolbox/mediatest"
)

// side is the default side of pictures, in pixels.
const side = 64

// paint draws a picture for a prompt, or tints the given one.
func paint(r *Request) (result, error) {
	w, h := side, side
	if size := r.Text("size"); size != "" {
		if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil || w < 1 || h < 1 || w > 4096 || h > 4096 {
			return result{}, fmt.Errorf("the size is %q", size)
		}
	}
	out := mediatest.Picture(r.Text("prompt"), w, h)
	if r.Files["ref_images"] != nil {
		p, err := mediatest.Decode(r.Files["ref_images"])
		if err != nil {
			return result{}, err
		}
		ink := mediatest.Tint(r.Text("prompt"))
		out = mediatest.Draw(w, h, func(x, y int) color.NRGBA {
			return mediatest.Mix(p.NRGBAAt(x*p.Rect.Dx()/w, y*p.Rect.Dy()/h), ink, 128)
		})
	}
	return result{file: mediatest.PNG(out), item: true, spelled: true}, nil
}

// squared is the side of inpainted pictures, whatever size was sent.
const squared = 512

// inpaint fills the white part of the mask with a colour of the prompt.
func inpaint(r *Request) (result, error) {
	p, err := mediatest.Decode(r.Files["image"])
	if err != nil {
		return result{}, err
	}
	mask, err := mediatest.Decode(r.Files["mask"])
	if err != nil {
		return result{}, err
	}
	if p.Rect != mask.Rect {
		return result{}, fmt.Errorf("the mask is %v and the picture %v", mask.Rect, p.Rect)
	}
	ink := mediatest.Tint(r.Text("prompt"))
	p, mask = mediatest.Scaled(p, squared, squared), mediatest.Scaled(mask, squared, squared)
	out := mediatest.Draw(squared, squared, func(x, y int) color.NRGBA {
		if mask.NRGBAAt(x, y).R >= 128 {
			return ink
		}
		return p.NRGBAAt(x, y)
	})
	return result{file: mediatest.PNG(out), item: true}, nil
}

// enlarge repeats pixels.
func enlarge(r *Request) (result, error) {
	p, err := mediatest.Decode(r.Files["image"])
	if err != nil {
		return result{}, err
	}
	scale := int(r.Number("scale"))
	if scale != 4 {
		return result{}, fmt.Errorf("the model enlarges four times, not %d times", scale)
	}
	return result{file: mediatest.PNG(mediatest.Scaled(p, p.Rect.Dx()*scale, p.Rect.Dy()*scale)), item: true}, nil
}

// film returns one second of video: the given picture, growing darker, or a colour derived from the prompt.
func film(r *Request) (result, error) {
	w, h := int(r.Number("width")), int(r.Number("height"))
	if w == 0 || h == 0 {
		w, h = side, side
	}
	if w < 16 || h < 16 || w > 2048 || h > 2048 {
		return result{}, errors.New("the video size is out of range")
	}
	start := mediatest.Picture(r.Text("prompt"), w, h)
	if r.Files["start_image"] != nil {
		p, err := mediatest.Decode(r.Files["start_image"])
		if err != nil {
			return result{}, err
		}
		start = mediatest.Scaled(p, w, h)
	}
	var frames []*image.NRGBA
	for n := range mediatest.FramesASecond {
		frames = append(frames, mediatest.Draw(w, h, func(x, y int) color.NRGBA {
			return mediatest.Mix(start.NRGBAAt(x, y), color.NRGBA{}, 16*n)
		}))
	}
	return result{file: mediatest.Film(frames), item: true, spelled: true}, nil
}
