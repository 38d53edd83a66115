package hftasktest

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
)

// Frame rate, default and maximum frame count, and longest side of the generated videos.
const (
	perSecond  = 8
	frames     = 16
	mostFrames = 240
	videoSide  = 192
)

// film makes a video in which the drawing of the prompt moves.
func film(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return q.filmed(drawn(text, videoSide, videoSide*9/16, q.number("seed", 0)))
}

// animate makes a video that pans over a picture.
func animate(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	w, h, ok := q.size()
	if !ok {
		w, h = img.Rect.Dx(), img.Rect.Dy()
	}
	if long := max(w, h); long > videoSide {
		w, h = w*videoSide/long, h*videoSide/long
	}
	if w < 1 || h < 1 {
		return nil, bad("there is no video of %dx%d", w, h)
	}
	return q.filmed(scaled(img, max(w&^1, 2), max(h&^1, 2))) // players need even sides
}

// filmed returns a video that pans over a picture and back to its start.
func (q *request) filmed(img *image.NRGBA) (any, error) {
	n := q.number("num_frames", frames)
	if n < 1 || n > mostFrames {
		return nil, bad("there is no video of %d frames", n)
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var all [][]byte
	for i := range n {
		shift := i * w / n
		b, err := encodeJPEG(mapped(w, h, func(x, y int) color.NRGBA { return img.NRGBAAt((x+shift)%w, y) }))
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return file{member: "video", kind: "video/mp4", body: mp4(all, w, h, perSecond)}, nil
}

// secondsOf returns the length of an MP4 video from its movie header (ISO/IEC 14496-12, 8.2.2); 0 if it
// cannot be read.
func secondsOf(b []byte) float64 {
	_, rest, ok := strings.Cut(string(b), "mvhd\x00")
	if !ok || len(rest) < 19 {
		return 0
	}
	scale, length := binary.BigEndian.Uint32([]byte(rest[11:])), binary.BigEndian.Uint32([]byte(rest[15:]))
	return float64(length) / float64(max(scale, 1))
}

// describeVideo returns the length of a video, whatever is asked.
func describeVideo(_ *world, q *request) (any, error) {
	text := "a short video"
	if s := secondsOf(q.files["inputs"]); s > 0 {
		text = fmt.Sprintf("a video of %.1f seconds", s)
	}
	return map[string]string{"generated_text": text + " in which something moves from right to left"}, nil
}

// classifyVideo distinguishes short videos from long ones.
func classifyVideo(_ *world, q *request) (any, error) {
	all := []label{{"moving something", 0.8}, {"walking", 0.15}, {"standing still", 0.05}}
	if s := secondsOf(q.files["inputs"]); s > 10 {
		all[0], all[1] = label{"walking", 0.8}, label{"moving something", 0.15}
	}
	return top(q, all), nil
}
