package program

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"path/filepath"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
)

const (
	// stillSide is the longer side of a video that shows one picture, in pixels.
	stillSide = 1920
	// stillRate is how many pictures a second it has: nothing in it moves.
	stillRate = 10
	// panTime is how long the view travels over a picture.
	panTime = 5 * time.Second
	// panRate is how many pictures a second that has.
	panRate = 25
	// panSide is the longer side of that video.
	panSide = 1280
	// longPan is the longest side of a picture that the view travels along.
	longPan = 8192
)

// imageAudioToVideo shows a picture for as long as a sound is heard.
func (b *Backend) imageAudioToVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	length := r.look.Duration
	if length == 0 {
		heard, err := b.listen(ctx, c, r, longestFilm+time.Second)
		if err != nil {
			return toolbox.Output{}, err
		}
		length = heard.length
	}
	if err := packable(length); err != nil {
		return toolbox.Output{}, err
	}
	still, size, err := b.still(ctx, c, func(w, h int) (int, int) { return within(w, h, stillSide) })
	if err != nil {
		return toolbox.Output{}, err
	}
	args := []string{
		"-filter_complex", fmt.Sprintf("[0:v]loop=loop=-1:size=1,setpts=N/(%d*TB),fps=%d,setsar=1,format=yuv420p[v]", stillRate, stillRate),
		"-map", "[v]", "-map", "1:a:0", "-tune", "stillimage", "-t", inSeconds(length),
	}
	j := ffmpeg.Job{Inputs: []ffmpeg.Input{{Path: still, Type: plan.Image, Before: []string{"-framerate", strconv.Itoa(stillRate)}}, r.input()}, Args: args}
	return b.mp4(ctx, c, j, length, plan.Say("%s × %s pixels, %s long", strconv.Itoa(size.X), strconv.Itoa(size.Y), onClock(length)), plan.Message{})
}

// imageToVideo lets the view travel over a picture: slowly nearer, or along it where it is
// very wide or high.
func (b *Backend) imageToVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	var view image.Point
	still, size, err := b.still(ctx, c, func(w, h int) (int, int) {
		view.X, view.Y = within(w, h, panSide)
		switch { // along it, by a view of the usual shape
		case w > 2*h:
			view.Y = even(min(h, panSide*9/16, longPan*h/w))
			view.X = even(view.Y * 16 / 9)
			return max(view.X, min(even(view.Y*w/h), longPan)), view.Y
		case h > 2*w:
			view.X = even(min(w, panSide*9/16, longPan*w/h))
			view.Y = even(view.X * 16 / 9)
			return view.X, max(view.Y, min(even(view.X*h/w), longPan))
		}
		return 2 * view.X, 2 * view.Y // so that the view moves by less than a pixel
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	frames := int(panTime.Seconds() * panRate)
	filter := fmt.Sprintf("zoompan=z='1+0.2*on/%d':x='(iw-iw/zoom)/2':y='(ih-ih/zoom)/2':d=%d:s=%dx%d:fps=%d", frames, frames, view.X, view.Y, panRate)
	if size.X == view.X || size.Y == view.Y {
		filter = fmt.Sprintf("loop=loop=%d:size=1,setpts=N/(%d*TB),crop=%d:%d:x='(iw-ow)*n/%d':y='(ih-oh)*n/%d'",
			frames, panRate, view.X, view.Y, frames-1, frames-1)
	}
	args := []string{"-filter_complex", "[0:v]" + filter + ",setsar=1,format=yuv420p[v]", "-map", "[v]", "-t", inSeconds(panTime)}
	j := ffmpeg.Job{Inputs: []ffmpeg.Input{{Path: still, Type: plan.Image, Before: []string{"-framerate", strconv.Itoa(panRate)}}}, Args: args}
	return b.mp4(ctx, c, j, panTime, plan.Say("a view that travels over the picture, %s long", onClock(panTime)),
		plan.Say("Nothing in the picture moves by itself: the view travels over it."))
}

// still writes the picture of the argument "image" into the call's folder, as people see
// it, on white and in the size that sized makes of its own.
func (b *Backend) still(ctx context.Context, c toolbox.Call, sized func(w, h int) (int, int)) (path string, size image.Point, err error) {
	given, err := fileIn(c, "image")
	if err != nil {
		return "", size, err
	}
	limits := b.config.Limits
	giveBack, err := limits.Memory.Take(ctx, media.Weigh(given, limits).Bytes(12))
	if err != nil {
		return "", size, err
	}
	defer giveBack()
	p, err := media.ReadPicture(ctx, given, limits)
	if err != nil {
		return "", size, fmt.Errorf("read a picture: %w", err)
	}
	size.X, size.Y = sized(p.Info.Width, p.Info.Height)
	scaled, err := media.Scaled(ctx, p.Image, size.X, size.Y)
	if err != nil {
		return "", size, fmt.Errorf("scale a picture: %w", err)
	}
	onWhite := image.NewNRGBA(scaled.Rect)
	draw.Draw(onWhite, onWhite.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(onWhite, onWhite.Rect, scaled, scaled.Rect.Min, draw.Over)
	path = filepath.Join(c.Dir, "still.png")
	return path, size, media.EncodeImage(ctx, path, onWhite, media.PNG)
}

// within is the size of that shape whose longer side is at most long, both even, and no
// larger than it was.
func within(w, h, long int) (int, int) {
	by := min(1, float64(long)/float64(max(w, h)))
	return even(int(float64(w) * by)), even(int(float64(h) * by))
}

// even is the even number at or below a side, 16 at least: less is not packed.
func even(side int) int { return max(16, side/2*2) }
