package workshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"atelier/agent/plan"
	"atelier/agent/planner/llm"
	"atelier/agent/step"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/bot/fault"
)

// Pictures provides the pictures of a conversation for a model or the web page, small and without metadata.
type Pictures struct {
	blobs   step.Blobs
	limits  media.Limits
	scratch string         // the folder for temporary files
	films   *ffmpeg.FFmpeg // extracts frames of videos; nil without ffmpeg
}

var _ llm.Pictures = Pictures{}

// shownSide is the maximum side of a picture for a model, in pixels: enough to recognise things, and cheap.
const shownSide = 768

// NewPictures returns the pictures and videos of blobs. They are converted in the folder scratch.
func NewPictures(blobs step.Blobs, limits media.Limits, scratch string, films *ffmpeg.FFmpeg) Pictures {
	return Pictures{blobs, limits, scratch, films}
}

// Picture returns a picture as a JPEG.
func (p Pictures) Picture(ctx context.Context, r plan.Resource) ([]byte, error) {
	b, err := p.Thumbnail(ctx, r.Blob, shownSide)
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", r.Name, err)
	}
	return b, nil
}

// Thumbnail returns a picture, or a frame of a video, as a JPEG with sides of at most side pixels.
func (p Pictures) Thumbnail(ctx context.Context, key string, side int) (_ []byte, err error) {
	dir, err := os.MkdirTemp(p.scratch, "atelier-shown-")
	if err != nil {
		return nil, fault.NoScratch(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	from := filepath.Join(dir, "picture"+filepath.Ext(key))
	if err := p.fetch(ctx, key, from); err != nil {
		return nil, fmt.Errorf("fetch the picture: %w", err)
	}
	if from, err = p.still(ctx, from, dir); err != nil {
		return nil, err
	}
	giveBack, err := p.limits.Memory.Take(ctx, media.Weigh(from, p.limits).Bytes(8))
	if err != nil {
		return nil, err
	}
	defer giveBack()
	img, err := media.DecodeImage(ctx, from, p.limits)
	if err != nil {
		return nil, err
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	if img, err = media.Scaled(ctx, img, w, h); err != nil {
		return nil, err
	}
	to := filepath.Join(dir, "shown.jpg")
	if err := media.EncodeImage(ctx, to, img, media.JPEG); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

// still is a frame of a file that is a video, and any other file itself.
func (p Pictures) still(ctx context.Context, path, dir string) (string, error) {
	if p.films == nil {
		return path, nil
	}
	info, err := media.Describe(ctx, path, p.limits)
	if err != nil || info.Type != plan.Video {
		return path, err
	}
	frames, err := p.films.Frames(ctx, path, dir, 1)
	if err != nil {
		return "", err
	}
	return frames[0].Path, nil
}

// fetch copies a blob into a new file.
func (p Pictures) fetch(ctx context.Context, key, to string) (err error) {
	blob, err := p.blobs.Get(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, blob)
	return errors.Join(err, f.Close())
}
