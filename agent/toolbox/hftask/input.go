package hftask

import (
	"context"
	"crypto/rand"
	"errors"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
)

const (
	// maxSentPixels is the largest picture that is sent: larger ones take long and show
	// models no more.
	maxSentPixels = 2048 * 2048
	// maxSentBytes is the most bytes of sound or video that are sent, and maxHubBytes the
	// most to the hub, whose servers refuse more.
	maxSentBytes = 64 << 20
	maxHubBytes  = 20 << 20
	// sentQuality is the JPEG quality in which photos are sent.
	sentQuality = 95
)

// sent is a picture that was sent.
type sent struct {
	path string
	// given is the size of the picture that was given, and size that in which it was sent.
	given, size image.Point
	ext         string
}

// bytes is what so many bytes for each pixel that was given come to.
func (s sent) bytes(perPixel int64) int64 { return perPixel * int64(s.given.X) * int64(s.given.Y) }

// fileOf is the first file of the call whose type is accepted.
func (j *job) fileOf(is func(plan.Type) bool) (toolbox.Value, bool) {
	for _, name := range sortedArgs(j.call) {
		for _, v := range j.call.Args[name] {
			if v.Path != "" && is(v.Type) {
				return v, true
			}
		}
	}
	return toolbox.Value{}, false
}

// sortedArgs are the names of the arguments: the picture before what belongs to it.
func sortedArgs(c toolbox.Call) []string {
	names := make([]string, 0, len(c.Args))
	for name := range c.Args {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == "mask") != (b == "mask") {
			if a == "mask" {
				return 1
			}
			return -1
		}
		if a < b {
			return -1
		}
		return 1
	})
	return names
}

func lacks(t plan.Type) error {
	return fault(errors.New("the call has no file of that type"), "The %s to work on is missing.", t)
}

// picture sends the picture of the call: it is what the answer is about.
func (j *job) picture(ctx context.Context) (file, error) {
	v, ok := j.fileOf(func(t plan.Type) bool { return t == plan.Image })
	if !ok { // any map is a picture too
		v, ok = j.fileOf(func(t plan.Type) bool { return t.Fits(plan.Image) })
	}
	if !ok {
		return file{}, lacks(plan.Image)
	}
	f, s, err := j.drawn(ctx, v)
	j.sent = s
	return f, err
}

// drawn is a picture as it is sent: upright, without metadata, as JPEG where it came so
// and as PNG else, and not larger than is looked at.
func (j *job) drawn(ctx context.Context, v toolbox.Value) (file, sent, error) {
	b := j.backend
	leave, err := b.config.Limits.Memory.Take(ctx, media.Weigh(v.Path, b.config.Limits).Bytes(8))
	if err != nil {
		return file{}, sent{}, err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, v.Path, b.config.Limits)
	if err != nil {
		return file{}, sent{}, err
	}
	j.animated = j.animated || p.Info.Frames > 1
	s := sent{path: v.Path, given: p.Image.Rect.Size(), ext: p.Info.Ext}
	s.size = fitted(s.given, b.sent)
	small, err := media.Scaled(ctx, p.Image, s.size.X, s.size.Y)
	if err != nil {
		return file{}, sent{}, err
	}
	if p.Info.MIME == "image/jpeg" {
		content, err := j.encoded(ctx, func(path string) error { return media.EncodeJPEG(ctx, path, small, sentQuality) })
		return file{content, "image/jpeg"}, s, err
	}
	content, err := j.encoded(ctx, func(path string) error { return media.EncodeImage(ctx, path, small, media.PNG) })
	return file{content, "image/png"}, s, err
}

// mask is a mask of the call as it is sent: in the size of the picture that was sent,
// white on black. A pixel of it is set where any that it stands for is, so that what is
// small does not vanish.
func (j *job) mask(ctx context.Context) (file, error) {
	v, ok := j.maskOf()
	if !ok {
		return file{}, lacks(plan.Mask)
	}
	limits := j.backend.config.Limits
	leave, err := limits.Memory.Take(ctx, media.Weigh(v.Path, limits).Bytes(8))
	if err != nil {
		return file{}, err
	}
	defer leave()
	m, err := media.ReadMask(ctx, v.Path, limits)
	if err != nil {
		return file{}, err
	}
	covered := false
	out := media.NewMask(j.sent.size.X, j.sent.size.Y, 1)
	for y := range out.Height {
		if stopped := media.Stopped(ctx); stopped != nil {
			return file{}, stopped
		}
		top, bottom := under(y, out.Height, m.Height)
		for x := range out.Width {
			left, right := under(x, out.Width, m.Width)
			for row := top; row < bottom && out.Index[y*out.Width+x] == 0; row++ {
				if slices.ContainsFunc(m.Index[row*m.Width+left:row*m.Width+right], func(part uint8) bool { return part != 0 }) {
					out.Index[y*out.Width+x], covered = 1, true
				}
			}
		}
	}
	if !covered {
		return file{}, fault(nil, "The mask covers nothing, so there is nothing to change.")
	}
	content, err := j.encoded(ctx, func(path string) error { return media.WriteMask(ctx, path, out) })
	return file{content, "image/png"}, err
}

// under are the pixels of a row of that many, from the first to before the last, that the
// one at i stands for in a row of size pixels.
func under(i, size, of int) (first, last int) {
	first = i * of / size
	return first, max(first+1, ((i+1)*of+size-1)/size)
}

// maskOf is the mask among the files of the call: the argument of that name, or else one
// beside the picture that is of the type.
func (j *job) maskOf() (toolbox.Value, bool) {
	if vs := j.call.Args["mask"]; len(vs) > 0 && vs[0].Path != "" {
		return vs[0], true
	}
	v, ok := j.fileOf(func(t plan.Type) bool { return t == plan.Mask })
	return v, ok && v.Path != j.sent.path
}

// recording is the sound or video of the call as it is sent: without its tags.
func (j *job) recording(ctx context.Context, t plan.Type) (_ file, err error) {
	v, ok := j.fileOf(func(is plan.Type) bool { return is == t })
	if !ok {
		return file{}, lacks(t)
	}
	info, err := media.Inspect(ctx, v.Path, j.backend.config.Limits)
	if err != nil {
		return file{}, err
	}
	if info.Type != t {
		return file{}, fault(nil, "The file is %s, but %s is needed.", info.MIME, t)
	}
	most := int64(maxSentBytes)
	if j.hub() {
		most = maxHubBytes
	}
	about, err := os.Stat(v.Path)
	if err != nil {
		return file{}, err
	}
	if about.Size() > most {
		return file{}, fault(nil, "The file is too large to send: it has %d MB, and the limit is %d; cut it or make it smaller.",
			about.Size()>>20, most>>20)
	}
	content, err := j.encoded(ctx, func(path string) error {
		to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(metadata.Copy(ctx, to, v.Path), to.Close())
	})
	return file{content, info.MIME}, err
}

// encoded is what write writes into a file of the call's folder, which goes again.
func (j *job) encoded(ctx context.Context, write func(path string) error) (content []byte, err error) {
	path := filepath.Join(j.call.Dir, "sent-"+rand.Text())
	if err := write(path); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	if stopped := media.Stopped(ctx); stopped != nil {
		return nil, stopped
	}
	return os.ReadFile(path)
}

// fitted is a size of at most that many pixels, of the same shape.
func fitted(size image.Point, most int) image.Point {
	if size.X*size.Y <= most {
		return size
	}
	scale := math.Sqrt(float64(most) / float64(size.X) / float64(size.Y))
	return image.Pt(max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale)))
}
