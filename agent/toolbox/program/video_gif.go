package program

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

const (
	// longestGIF is how much of a video becomes a GIF: they grow large, and nobody waits
	// for their end.
	longestGIF = 30 * time.Second
	// quickGIF is up to which length it has more pictures a second.
	quickGIF = 10 * time.Second
	// gifSide is its longer side in pixels at most.
	gifSide = 480
)

// makeGIF turns a video into an animation that loops, in colours of its own.
func (b *Backend) makeGIF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	length := min(f.look.Duration, longestGIF)
	rate := 10.0
	if length <= quickGIF {
		rate = 12.5 // a GIF counts in hundredths of a second
	}
	if f.pictures.Rate > 0 {
		rate = min(rate, f.pictures.Rate)
	}
	w, h := f.pictures.Width, f.pictures.Height
	if long := max(w, h); long > gifSide {
		w, h = max(1, w*gifSide/long), max(1, h*gifSide/long)
	}
	// A palette is made of all pictures, which takes holding them: few and small ones.
	graph := fmt.Sprintf("fps=%g,scale=%d:%d:flags=lanczos,split[pictures][all];[all]palettegen[palette];"+
		"[pictures][palette]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle", rate, w, h)
	j := ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.input("-t", inSeconds(length))},
		Args:   []string{"-map", "0:V:0", "-vf", graph, "-loop", "0"},
	}
	path, err := b.packed(ctx, c, j, "animation.gif")
	var note plan.Message
	if f.look.Duration > longestGIF+time.Second {
		note = plan.Say("A GIF shows at most %s, so it holds the beginning of the video; cut another part out of the video for a GIF of that.",
			plan.Span(longestGIF))
	}
	about := plan.Say("an animation of %s × %s pixels, %s long", strconv.Itoa(w), strconv.Itoa(h), onClock(length))
	return toolbox.Output{Path: path, About: about, Note: note}, err
}
