package localai

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"

	"atelier/agent/toolbox/media"
)

// lookedAt is the most pixels a side that the models look at.
const lookedAt = 1536

// sent is a picture as it is handed over: not larger than a model looks at, as JPEG,
// without metadata.
type sent struct {
	content []byte
	size    image.Point // in pixels of what is sent
	full    image.Point // in pixels of the picture as people see it
}

// dataURI is how LocalAI takes pictures that the request is about (core/http/endpoints,
// decodeImageInput): no address, and not the bare Base64 that videos begin with.
func (s sent) dataURI() string { return "data:image/jpeg;base64," + s.base64() }

func (s sent) base64() string { return base64.StdEncoding.EncodeToString(s.content) }

// send makes a picture ready to be handed over, with at most that many pixels a side.
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
	s.size = fitted(s.full, side)
	small, err := media.Scaled(ctx, p.Image, s.size.X, s.size.Y)
	if err != nil {
		return sent{}, err
	}
	s.content, err = encoded(ctx, j.Dir, small, media.JPEG)
	return s, err
}

// encoded is a picture as a file's content, without metadata.
func encoded(ctx context.Context, dir string, img image.Image, f media.Format) (_ []byte, err error) {
	path := filepath.Join(dir, rand.Text()+"."+string(f))
	if err := media.EncodeImage(ctx, path, img, f); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	return os.ReadFile(path)
}

// fitted is a size of at most that many pixels a side, of the same shape.
func fitted(size image.Point, side int) image.Point {
	longest := max(size.X, size.Y)
	if longest <= side {
		return size
	}
	fit := func(n int) int { return max(1, (n*side+longest/2)/longest) }
	return image.Pt(fit(size.X), fit(size.Y))
}

// shaped is a size of about that many pixels, of about the same shape, in multiples of 16,
// as the models that draw want it.
func shaped(size image.Point, pixels float64) image.Point {
	const step = 16
	scale := math.Sqrt(pixels / (float64(size.X) * float64(size.Y)))
	side := func(n int) int { return min(max(int(math.Round(float64(n)*scale/step)), 1), 2048/step) * step }
	return image.Pt(side(size.X), side(size.Y))
}
