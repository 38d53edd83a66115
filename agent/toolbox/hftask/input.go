package hftask

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/jsonfind"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/metadata"
)

const (
	// maxSentPixels is the most pixels of a picture that is sent: larger ones take longer and do not help
	// models.
	maxSentPixels = 2048 * 2048
	// maxSentBytes is the largest sound or video that is sent, in bytes, and maxHubBytes the largest that is
	// sent to the hub, whose servers reject larger ones.
	maxSentBytes = 64 << 20
	maxHubBytes  = 20 << 20
	// sentQuality is the JPEG quality of sent photos.
	sentQuality = 95
)

// sent describes a picture that was sent.
type sent struct {
	path string
	// given is the original size of the picture, and size the one in which it was sent.
	given, size image.Point
	ext         string
}

// bytes returns the memory for perPixel bytes for each pixel of the original picture.
func (s sent) bytes(perPixel int64) int64 { return perPixel * int64(s.given.X) * int64(s.given.Y) }

// fileOf returns the first file of the call whose type is accepted.
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

// sortedArgs returns the names of the arguments in alphabetical order, with "mask" last.
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

func missingFile(t plan.Type) error {
	return fault(errors.New("the call has no file of this type"), "The %s to work on is missing.", t)
}

// picture prepares the picture that the call is about for sending, and notes it in j.sent.
func (j *job) picture(ctx context.Context) (file, error) {
	v, ok := j.fileOf(func(t plan.Type) bool { return t == plan.Image })
	if !ok { // any map is a picture too
		v, ok = j.fileOf(func(t plan.Type) bool { return t.Fits(plan.Image) })
	}
	if !ok {
		return file{}, missingFile(plan.Image)
	}
	f, s, err := j.drawn(ctx, v)
	j.sent = s
	return f, err
}

// drawn returns a picture ready to send: upright, without metadata, at most as large as models look at, as
// JPEG if it was one and as PNG otherwise.
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

// mask returns the call's mask ready to send: in the size of the sent picture, white on black. A pixel is
// white if any pixel of the original that it stands for is set, so that small areas do not vanish.
func (j *job) mask(ctx context.Context) (file, error) {
	v, ok := j.maskOf()
	if !ok {
		return file{}, missingFile(plan.Mask)
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
		top, bottom := sourceRange(y, out.Height, m.Height)
		for x := range out.Width {
			left, right := sourceRange(x, out.Width, m.Width)
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

// sourceRange returns the range of pixels, last excluded, in a row of length of that pixel i stands for in a row
// of length size.
func sourceRange(i, size, of int) (first, last int) {
	first = i * of / size
	return first, max(first+1, ((i+1)*of+size-1)/size)
}

// maskOf returns the call's mask: the argument of that name, or else a mask that is not the picture itself.
func (j *job) maskOf() (toolbox.Value, bool) {
	if vs := j.call.Args["mask"]; len(vs) > 0 && vs[0].Path != "" {
		return vs[0], true
	}
	v, ok := j.fileOf(func(t plan.Type) bool { return t == plan.Mask })
	return v, ok && v.Path != j.sent.path
}

// recording returns the call's sound or video ready to send, without its tags.
func (j *job) recording(ctx context.Context, t plan.Type) (_ file, err error) {
	v, ok := j.fileOf(func(is plan.Type) bool { return is == t })
	if !ok {
		return file{}, missingFile(t)
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
		has, limit := plan.Oversize(about.Size(), most)
		return file{}, fault(nil, "The file is too large to send: it has %s, and the limit is %s; trim it or make it smaller.", has, limit)
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

// encoded returns the output of write, which goes through a temporary file in the call's folder.
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

// fitted shrinks size to a number of pixels in total, keeping its shape.
func fitted(size image.Point, most int) image.Point {
	if size.X*size.Y <= most {
		return size
	}
	scale := math.Sqrt(float64(most) / float64(size.X) / float64(size.Y))
	return image.Pt(max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale)))
}

// maxItems is the most entries of an answer.
const maxItems = 2000

// entries reads an answer that is a list, a list within a list (the hub's own API for a single input), or a
// single entry. It reads entry by entry, so that an endless list costs neither memory nor time.
func entries[T any](ctx context.Context, body []byte) ([]T, error) {
	raw, lists := bytes.TrimSpace(body), 0
	for lists < 2 && len(raw) > 0 && raw[0] == '[' {
		raw, lists = bytes.TrimSpace(raw[1:]), lists+1
	}
	d := json.NewDecoder(bytes.NewReader(body))
	for range lists {
		if _, err := d.Token(); err != nil {
			return nil, unreadable(jsonfind.ErrForm)
		}
	}
	if lists == 0 && (len(raw) == 0 || raw[0] != '{') {
		return nil, unreadable(jsonfind.ErrForm)
	}
	var all []T
	for d.More() && (lists > 0 || len(all) == 0) {
		if stopped := media.Stopped(ctx); stopped != nil {
			return nil, stopped
		}
		if len(all) == maxItems {
			return nil, unreadable(fmt.Errorf("the answer has more than %d entries", maxItems))
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return nil, unreadable(fmt.Errorf("entry %d does not have the expected form", len(all)+1))
		}
		all = append(all, one)
	}
	for range lists {
		if end, err := d.Token(); err != nil || end != json.Delim(']') {
			return nil, unreadable(jsonfind.ErrForm)
		}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, unreadable(jsonfind.ErrForm)
	}
	return all, nil
}

// content returns the file in an answer: the body itself, or the file that its JSON holds or links to under
// one of the keys.
func (a answer) content(ctx context.Context, keys ...string) ([]byte, error) {
	if !strings.Contains(a.kind(), "json") {
		return a.body, nil
	}
	named, err := jsonfind.Text(ctx, a.body, slices.Concat(keys, []string{"b64_json", "url", "images", "data", "output"}))
	if stopped := media.Stopped(ctx); stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, unreadable(err)
	}
	if named == "" {
		return nil, unreadable(errors.New("the answer has no file"))
	}
	return a.fileContent(ctx, named)
}

// fileContent returns the file that a text stands for: an address on the server, a data URL, or Base64.
func (a answer) fileContent(ctx context.Context, text string) ([]byte, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		got, err := a.fetch(ctx, text)
		if err != nil {
			return nil, err
		}
		return got.body, nil
	}
	return decodeBase64(text)
}

// decodeBase64 decodes Base64, with or without the prefix of a data URL.
func decodeBase64(text string) ([]byte, error) {
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(content) == 0 {
		return nil, unreadable(fmt.Errorf("%d characters are not valid Base64", len(text)))
	}
	return content, nil
}

// file writes content from the server to a file in the call's folder, and inspects it.
func (j *job) file(ctx context.Context, content []byte) (path string, info media.Info, err error) {
	path = filepath.Join(j.call.Dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", media.Info{}, err
	}
	info, err = media.Inspect(ctx, path, j.backend.config.Limits)
	if err == nil {
		return path, info, nil
	}
	err = errors.Join(err, os.Remove(path))
	if stopped := media.Stopped(ctx); stopped != nil {
		return "", media.Info{}, stopped
	}
	return "", media.Info{}, unreadable(err)
}

// saveRecording saves a sound or a video from the server as an output.
func (j *job) saveRecording(ctx context.Context, content []byte, t plan.Type, name string, about plan.Message) (toolbox.Output, error) {
	path, info, err := j.file(ctx, content)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != t {
		return toolbox.Output{}, errors.Join(unreadable(fmt.Errorf("the answer is %s, not %s", info.MIME, t)), os.Remove(path))
	}
	named := filepath.Join(j.call.Dir, name+info.Ext)
	if err := os.Rename(path, named); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: named, About: about}, nil
}
