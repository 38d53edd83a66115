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

// slowSound and fastSound are the factors between which sound can be listened to.
const slowSound, fastSound = 0.5, 4

// changeSpeed plays a video faster or slower, and its sound with it in its own pitch.
func (b *Backend) changeSpeed(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	by, err := toolbox.Need[float64](c, "factor")
	if err != nil {
		return toolbox.Output{}, err
	}
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	length := time.Duration(float64(f.look.Duration) / by)
	if err := packable(max(length, f.look.Duration/4)); err != nil {
		return toolbox.Output{}, err
	}
	if length < shortestCut {
		return toolbox.Output{}, refusal("At that speed nothing would be left of the video; ask for a slower one.")
	}
	rate := min(f.pictures.Rate, mostPictures)
	if rate <= 0 {
		rate = 30
	}
	args := []string{"-map", "0:V:0", "-vf", fmt.Sprintf("setpts=(PTS-STARTPTS)/%s,fps=%g,%s", factor(by), rate, f.shown())}
	var note plan.Message
	switch heard := f.look.Audio() != nil; {
	case heard && by >= slowSound && by <= fastSound:
		args = append(args, "-map", "0:a:0", "-af", "asetpts=PTS-STARTPTS,"+tempo(by))
	case heard:
		note = plan.Say("At that speed its sound could not be understood, so it was left out.")
	}
	args = append(args, "-t", inSeconds(length))
	return b.mp4(ctx, c, ffmpeg.Job{Inputs: []ffmpeg.Input{f.input()}, Args: args}, length,
		plan.Say("at %s times the speed, %s long", factor(by), onClock(length)), note)
}

// tempo is the filter that plays sound at a speed. Each step of it may double or halve.
func tempo(by float64) string {
	if by > 2 {
		return "atempo=2," + tempo(by/2)
	}
	return "atempo=" + factor(by)
}

func factor(by float64) string { return strconv.FormatFloat(by, 'g', 4, 64) }
