package program

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// soundRate is how many bits a second of sound take in what is made.
const soundRate = 160_000

// freeRate is a rate in bits a second above which nothing is gained.
const freeRate = 40_000_000

// h264 are the options of moving pictures that play everywhere.
func h264() []string {
	return []string{"-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-fps_mode", "vfr"}
}

// aac are the options of sound that plays everywhere.
func aac() []string {
	return []string{"-c:a", "aac", "-b:a", strconv.Itoa(soundRate), "-ar", "48000", "-ac", "2"}
}

// inMP4 are the options of an MP4 of that length, whose file stays below what may be
// made.
func (b *Backend) inMP4(length time.Duration) []string {
	args := append(h264(), aac()...)
	return append(append(args, b.below(length)...), faststart()...)
}

// below are the options that keep the file of a video of that length below what may be
// made.
func (b *Backend) below(length time.Duration) []string {
	rate := (float64(b.config.Limits.Bytes)*8*0.9)/max(length.Seconds(), 1) - soundRate
	if rate >= freeRate {
		return nil
	}
	return bounded(rate)
}

// faststart puts the table of contents in front, so that it plays before it is loaded.
func faststart() []string { return []string{"-movflags", "+faststart"} }

// bounded are the options that keep pictures below a rate in bits a second.
func bounded(rate float64) []string {
	r := strconv.Itoa(max(int(rate), 1000))
	return []string{"-maxrate", r, "-bufsize", r}
}

// packed does a job whose output is the file of that name in the call's folder.
func (b *Backend) packed(ctx context.Context, c toolbox.Call, j ffmpeg.Job, name string) (string, error) {
	j.Output = filepath.Join(c.Dir, name)
	if j.Timeout == 0 {
		j.Timeout = filmTime
	}
	if err := b.config.FFmpeg.Do(ctx, j); err != nil {
		return "", fmt.Errorf("make a video: %w", err)
	}
	return j.Output, nil
}

// mp4 makes an MP4 of that length out of a job's pictures and sound.
func (b *Backend) mp4(ctx context.Context, c toolbox.Call, j ffmpeg.Job, length time.Duration, about, note plan.Message) (toolbox.Output, error) {
	j.Args = append(j.Args, b.inMP4(length)...)
	path, err := b.packed(ctx, c, j, "video.mp4")
	return toolbox.Output{Path: path, About: about, Note: note}, err
}
