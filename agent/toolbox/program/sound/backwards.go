package sound

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// sampleBytes is the size of a decoded sample.
const sampleBytes = 4

// reverse writes a sound from its end to its beginning.
func (s Sounds) reverse(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.Given(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	pieces, err := s.Backwards(ctx, c, r, 0)
	if err != nil {
		return toolbox.Output{}, err
	}
	job, err := Joined(c.Dir, "sounds.txt", pieces)
	if err != nil {
		return toolbox.Output{}, err
	}
	to, note := r.Fitting(s.Limits.Bytes, r.Look.Duration)
	job.Args, job.Timeout = append(job.Args, to.Coding.All()...), Timeout
	out, err := s.Write(ctx, job, c.Dir, "sound."+to.Ending)
	out.Note = note
	return out, err
}

// Backwards reverses a recording in lossless pieces, the last one first. It is cut or continued by silence to length,
// unless that is 0.
func (s Sounds) Backwards(ctx context.Context, c toolbox.Call, r Recording, length time.Duration) ([]Clip, error) {
	a := r.Look.Audio()
	most := time.Duration(max(1, s.Reversed/(sampleBytes*max(1, a.Channels)*max(1, a.Frequency)))) * time.Second
	whole := cmp.Or(length, r.Look.Duration)
	var all []Clip
	for from := time.Duration(0); from == 0 || from < whole; from += most {
		p := Piece{from, from + most}
		if p.To >= whole {
			p.To = length
		}
		made, err := s.lossless(ctx, c, r, "sound-"+strconv.Itoa(len(all)), p, ",areverse")
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	slices.Reverse(all)
	return all, nil
}

// Forwards writes a recording as one lossless piece, cut or continued by silence to length.
func (s Sounds) Forwards(ctx context.Context, c toolbox.Call, r Recording, length time.Duration) (Clip, error) {
	return s.lossless(ctx, c, r, "sound", Piece{To: length}, "")
}

// lossless writes a part of a recording, or the rest if its end is 0, through further filters. Sound that begins
// late is preceded by silence.
func (s Sounds) lossless(ctx context.Context, c toolbox.Call, r Recording, name string, p Piece, then string) (Clip, error) {
	filter := fmt.Sprintf("aresample=async=1:first_pts=0,atrim=start=%f,asetpts=PTS-STARTPTS", p.From.Seconds())
	if p.To > 0 {
		length := (p.To - p.From).Seconds()
		filter += fmt.Sprintf(",apad=whole_dur=%f,atrim=end=%f", length, length)
	}
	samples := "s16"
	if codec := r.Look.Audio().Codec; strings.HasPrefix(codec, "pcm_") || codec == "flac" || codec == "alac" {
		samples = "s16|s32"
	}
	job := ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.Input()}, Most: mostDecoded, Timeout: Timeout,
		Args: []string{"-map", "0:a:0", "-af", filter + then + ",aformat=sample_fmts=" + samples, "-c:a", "flac"},
	}
	out, err := s.Write(ctx, job, c.Dir, name+".flac")
	return Clip{Path: out.Path}, err
}

// Clip is a file that is one of several pieces.
type Clip struct {
	Path string
	// Length is the time after which the next one begins; 0 means that of the file.
	Length time.Duration
}

// Joined makes files of the same codecs one input of ffmpeg, one after the other: Args reads it, and Files
// are what it needs.
func Joined(dir, name string, pieces []Clip) (ffmpeg.Job, error) {
	path, text := filepath.Join(dir, name), strings.Builder{}
	text.WriteString("ffconcat version 1.0\n")
	job := ffmpeg.Job{Args: []string{"-f", "concat", "-i", name}, Files: []string{path}}
	for _, p := range pieces {
		fmt.Fprintf(&text, "file %s\n", filepath.Base(p.Path))
		if p.Length > 0 {
			fmt.Fprintf(&text, "duration %s\n", ffmpeg.Seconds(p.Length))
		}
		job.Files = append(job.Files, p.Path)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return ffmpeg.Job{}, &plan.Fault{Sentence: plan.Say("Temporary files could not be written."), Err: err}
	}
	return job, nil
}
