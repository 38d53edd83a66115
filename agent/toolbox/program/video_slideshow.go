package program

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
)

const (
	// mostSlides is how many pictures a slideshow shows.
	mostSlides = 50
	// slideLong and slideShort are the sides of its frame, in pixels.
	slideLong, slideShort = 1280, 720
)

// slideshow shows pictures one after the other, each for the time of the parameter "each", and plays the
// sound of the argument "audio", if there is one, for as long. The frame lies or stands as the first picture
// does; pictures of another shape stand on black.
func (b *Backend) slideshow(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	vs := c.Args["images"]
	if len(vs) > mostSlides {
		return toolbox.Output{}, refusal("%d pictures are too many; a slideshow shows at most %d.", len(vs), mostSlides)
	}
	each, err := toolbox.Need[time.Duration](c, "each")
	if err != nil {
		return toolbox.Output{}, err
	}
	length := time.Duration(len(vs)) * each
	if err := packable(length); err != nil {
		return toolbox.Output{}, err
	}
	w, h := slideLong, slideShort
	var j ffmpeg.Job
	var chains, labels strings.Builder
	for i, v := range vs {
		p, err := media.ReadPicture(ctx, v.Path, b.config.Limits)
		if err != nil {
			return toolbox.Output{}, err
		}
		if i == 0 && p.Info.Height > p.Info.Width {
			w, h = slideShort, slideLong
		}
		slide := filepath.Join(c.Dir, fmt.Sprintf("slide-%d.png", i+1))
		if err := media.EncodeImage(ctx, slide, p.Image, media.PNG); err != nil {
			return toolbox.Output{}, err
		}
		j.Inputs = append(j.Inputs, ffmpeg.Input{Path: slide, Type: plan.Image, Before: []string{"-loop", "1", "-framerate", "25", "-t", inSeconds(each)}})
		fmt.Fprintf(&chains, "[%d:v]scale=%d:%d:force_original_aspect_ratio=decrease:force_divisible_by=2,"+
			"pad=%d:%d:(ow-iw)/2:(oh-ih)/2,setsar=1,fps=25,format=yuv420p[v%d];",
			i, w, h, w, h, i)
		fmt.Fprintf(&labels, "[v%d]", i)
	}
	graph := chains.String() + labels.String() + fmt.Sprintf("concat=n=%d:v=1:a=0[v]", len(vs))
	maps := []string{"-map", "[v]"}
	if len(c.Args["audio"]) > 0 {
		r, err := b.recording(ctx, c, "audio")
		if err != nil {
			return toolbox.Output{}, err
		}
		j.Inputs = append(j.Inputs, r.input())
		graph += fmt.Sprintf(";[%d:a:0]apad,atrim=end=%s,afade=t=out:st=%s:d=1[a]", len(vs), inSeconds(length), inSeconds(max(0, length-time.Second)))
		maps = append(maps, "-map", "[a]")
	}
	j.Args = append([]string{"-filter_complex", graph}, maps...)
	about := plan.Say("%d pictures, %s long", len(vs), onClock(length))
	return b.mp4(ctx, c, j, length, about, plan.Message{})
}
