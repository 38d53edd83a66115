package video

import (
	"context"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/subtitle"
)

// readSpeed is the fastest reading speed, in characters per second.
const readSpeed = 30

// addSubtitles draws subtitles into a video, or adds them as a track. A text without times is spread
// over the whole video.
func (v Videos) addSubtitles(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	text := c.Text("subtitles")
	if strings.TrimSpace(text) == "" {
		return toolbox.Output{}, &plan.Fault{
			Sentence: plan.Say("Please give the text of the subtitles, or a subtitle file (SRT)."),
			Err:      errors.New("no text"),
		}
	}
	cues := subtitle.Of(text, f.look.Duration)
	if len(cues) == 0 {
		return toolbox.Output{}, plan.Refusal("The video is %s long, and none of the subtitles begins within that time; check their times.",
			plan.Span(f.look.Duration))
	}
	if way, _ := toolbox.Param[string](c, "way"); way == "track" {
		out, err := v.subtitleTrack(ctx, c, f, cues)
		out.About, out.Note = counted(cues), plan.Sentences(tooMuch(cues), out.Note)
		return out, err
	}
	w, h := canvas(f.pictures.Width, f.pictures.Height)
	script := filepath.Join(c.Dir, "subtitles.ass")
	if err := os.WriteFile(script, []byte(subtitle.Script(cues, w, h, styleOf(c))), 0o600); err != nil {
		return toolbox.Output{}, unwritten(err)
	}
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.Input()}, Files: []string{script}, Args: []string{"-vf", everywhere + "yuv420p,ass=subtitles.ass"},
	}
	out, err := v.Encode(ctx, job, f, f.look.Duration, format.Videos()["mp4"], c.Dir, "video")
	out.About, out.Note = counted(cues), plan.Sentences(tooMuch(cues), out.Note)
	return out, err
}

// styleOf returns the look of burnt-in subtitles.
func styleOf(c toolbox.Call) subtitle.Style {
	style := subtitle.Style{Colour: color.NRGBA{255, 255, 255, 255}, Size: 1}
	if ink, ok := toolbox.Param[color.NRGBA](c, "colour"); ok {
		style.Colour = ink
	}
	switch size, _ := toolbox.Param[string](c, "text_size"); size {
	case "small":
		style.Size = 0.7
	case "large":
		style.Size = 1.4
	}
	place, _ := toolbox.Param[string](c, "place")
	style.Top = place == "top"
	if outline, ok := toolbox.Param[color.NRGBA](c, "outline"); ok {
		style.Outline = &outline
	}
	if box, ok := toolbox.Param[color.NRGBA](c, "box"); ok {
		style.Box = &box
	}
	return style
}

// subtitleTrack adds subtitles that players can switch on and off. Matroska is kept; other formats become MP4.
func (v Videos) subtitleTrack(ctx context.Context, c toolbox.Call, f Film, cues []subtitle.Cue) (toolbox.Output, error) {
	file := filepath.Join(c.Dir, "subtitles.srt")
	if err := os.WriteFile(file, []byte(subtitle.SRT(cues)), 0o600); err != nil {
		return toolbox.Output{}, unwritten(err)
	}
	to := format.Videos()["mp4"]
	if f.look.MIME == "video/x-matroska" {
		to = format.Videos()["mkv"]
	}
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input()}, Files: []string{file}, Args: []string{
		"-f", "srt", "-i", "subtitles.srt", "-map", "0:V:0", "-map", "0:a:0?", "-map", "1:s:0", "-c:s", to.Titles, "-disposition:s:0", "default",
	}}
	return v.Encode(ctx, job, f, f.look.Duration, to, c.Dir, "video")
}

// tracks returns the options that keep the subtitle tracks. lost says if some are dropped: bitmap
// subtitles, subtitles whose times no longer fit the result, or subtitles that the format does
// not support; and if sound tracks are.
func (f Film) tracks(job ffmpeg.Job, to format.Video) (options []string, lost plan.Message) {
	if !format.Has(job.Args, "-an") {
		lost = f.look.LeftOut()
	}
	if len(f.look.Subtitles) == 0 || format.Has(job.Args, "-c:s") {
		return nil, lost
	}
	times := format.Has(job.Inputs[0].Before, "-stream_loop", "-ss") || slices.ContainsFunc(job.Args, newTimes.MatchString)
	for i, s := range f.look.Subtitles {
		if slices.Contains([]string{"subrip", "ass", "ssa", "webvtt", format.MovText, "text"}, s.Codec) && to.Titles != "" && !times {
			options = append(options, "-map", "0:s:"+strconv.Itoa(i))
		}
	}
	if kept := len(options) / 2; kept < len(f.look.Subtitles) {
		which := plan.Say("The subtitle tracks of the video were left out.")
		if kept > 0 {
			which = plan.Say("Some of the subtitle tracks of the video were left out.")
		}
		lost = plan.Sentences(which, lost)
	}
	if options != nil {
		options = append(options, "-c:s", to.Titles)
	}
	return options, lost
}

// newTimes matches filters that change the timing of frames.
var newTimes = lazyregexp.New(`(?:^|[^a-z])(?:reverse|setpts|select|concat|xfade|tpad)\b`)

// counted says how many subtitles were added.
func counted(cues []subtitle.Cue) plan.Message {
	if len(cues) == 1 {
		return plan.Say("with one subtitle")
	}
	return plan.Say("with %d subtitles", len(cues))
}

// tooMuch warns if there is more text than time to read it.
func tooMuch(cues []subtitle.Cue) plan.Message {
	letters, seconds := 0, 0.0
	for _, c := range cues {
		letters += len([]rune(c.Text))
		seconds += (c.To - c.From).Seconds()
	}
	if float64(letters) > readSpeed*seconds {
		return plan.Say("That is more text than anyone can read in that time.")
	}
	return plan.Message{}
}
