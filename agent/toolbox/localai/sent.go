package localai

import (
	"context"
	"encoding/base64"
	"image"
	"math"

	"atelier/agent/toolbox/media"
)

// pictureSide is the longest side of a picture sent to a model, in pixels.
const pictureSide = 1536

// sent is a picture ready to send: no larger than a model looks at, as JPEG, without metadata.
type sent struct {
	content []byte
	size    image.Point // as it is sent, in pixels
	full    image.Point // of the original, upright, in pixels
}

// dataURI encodes the picture as a data URI. LocalAI requires one for the input of detection and depth
// (core/http/endpoints, decodeImageInput), but bare Base64 for the first frame of a video.
func (s sent) dataURI() string { return "data:image/jpeg;base64," + s.base64() }

func (s sent) base64() string { return base64.StdEncoding.EncodeToString(s.content) }

// send prepares the call's picture for sending, with at most side pixels per side.
func (srv *server) send(ctx context.Context, j job, side int) (sent, error) {
	path, err := j.fileOf("image")
	if err != nil {
		return sent{}, err
	}
	leave, err := srv.limits.Memory.Take(ctx, media.Weigh(path, srv.limits).Bytes(8))
	if err != nil {
		return sent{}, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, srv.limits)
	if err != nil {
		return sent{}, err
	}
	s := sent{full: p.Image.Rect.Size()}
	s.size = media.ShrunkTo(s.full, side)
	small, err := media.Scaled(ctx, p.Image, s.size.X, s.size.Y)
	if err != nil {
		return sent{}, err
	}
	s.content, err = media.EncodedImage(ctx, j.Dir, small, media.JPEG)
	return s, err
}

// shaped returns a size of about the given number of pixels and about the same shape, in multiples of 16, as
// drawing models require.
func shaped(size image.Point, pixels float64) image.Point {
	const step = 16
	scale := math.Sqrt(pixels / (float64(size.X) * float64(size.Y)))
	side := func(n int) int { return min(max(int(math.Round(float64(n)*scale/step)), 1), 2048/step) * step }
	return image.Pt(side(size.X), side(size.Y))
}
