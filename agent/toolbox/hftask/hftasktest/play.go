package hftasktest

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/toolbox/mediatest"
)

// speak returns a tone that is as long as the text.
func speak(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return sound(text, time.Duration(len(words(text)))*time.Second/3), nil
}

// playMusic returns a tone of four seconds.
func playMusic(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return sound(text, 4*time.Second), nil
}

func sound(text string, long time.Duration) made {
	return made{kind: "audio/wav", body: mediatest.Tone(text, long)}
}

// part is a sound in JSON.
type part struct {
	Label string `json:"label"`
	Blob  []byte `json:"blob"`
	Kind  string `json:"content-type"` //nolint:tagliatelle // the hub's name
}

// cleanSound returns the recording.
func cleanSound(_ *world, q *request) (any, error) {
	in := q.files["inputs"]
	return []part{{"speech", in, mimetype.Detect(in).String()}}, nil
}

// classifySound hears music in everything.
func classifySound(*world, *request) (any, error) {
	return []label{{"Music", 0.85}, {"Speech", 0.05}}, nil
}

// transcribe returns the fixed transcript.
func transcribe(wd *world, _ *request) (any, error) { return map[string]string{"text": wd.heard}, nil }

// videoSide is the longest side of videos, in pixels.
const videoSide = 192

// film makes a video in which the drawing of the prompt moves.
func film(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return panned(drawn(text, videoSide, videoSide*9/16, q.number("seed", 0))), nil
}

// animate makes a video that pans over a picture.
func animate(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if long := max(w, h); long > videoSide {
		w, h = w*videoSide/long, h*videoSide/long
	}
	return panned(mediatest.Scaled(img, max(w&^1, 2), max(h&^1, 2))), nil // players need even sides
}

// panned returns a video of a second that pans over a picture.
func panned(img *image.NRGBA) made {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var frames []*image.NRGBA
	for i := range mediatest.FramesASecond {
		shift := i * w / mediatest.FramesASecond
		frames = append(frames, mediatest.Draw(w, h, func(x, y int) color.NRGBA { return img.NRGBAAt((x+shift)%w, y) }))
	}
	return made{kind: "video/x-msvideo", body: mediatest.Film(frames)}
}

// describeVideo returns the length of an MP4 video, by its movie header (ISO/IEC 14496-12, 8.2.2).
func describeVideo(_ *world, q *request) (any, error) {
	text := "a video"
	if _, rest, ok := strings.Cut(string(q.files["inputs"]), "mvhd\x00"); ok && len(rest) >= 19 {
		scale, length := binary.BigEndian.Uint32([]byte(rest[11:])), binary.BigEndian.Uint32([]byte(rest[15:]))
		text = fmt.Sprintf("a video of %.1f seconds", float64(length)/float64(max(scale, 1)))
	}
	return map[string]string{"generated_text": text + " in which something moves"}, nil
}

// classifyVideo sees something move in every video.
func classifyVideo(*world, *request) (any, error) {
	return []label{{"moving something", 0.8}, {"walking", 0.15}}, nil
}
