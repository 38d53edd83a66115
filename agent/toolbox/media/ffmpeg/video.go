package ffmpeg

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
)

// video is one that was found fit to be decoded.
type video struct {
	programs programs
	path     string // absolute
	demuxer  string
	duration time.Duration // 0 if it is not known
}

// demuxers are ffmpeg's names for what reads a kind of file. None of them opens other
// files, as those of playlists and scripts do.
var demuxers = map[string]string{
	"video/mp4":        "mov",
	"video/x-m4v":      "mov",
	"video/quicktime":  "mov",
	"video/3gpp":       "mov",
	"video/3gpp2":      "mov",
	"video/webm":       "matroska",
	"video/x-matroska": "matroska",
	"video/x-msvideo":  "avi",
	"video/mpeg":       "mpeg",
	"video/mp2t":       "mpegts",
	"video/ogg":        "ogg",
	"video/x-flv":      "flv",
}

// open looks at a video without decoding its pictures.
func (f *FFmpeg) open(ctx context.Context, found programs, path string) (*video, error) {
	info, err := media.InspectContext(ctx, path, f.limits)
	if err != nil {
		return nil, err
	}
	demuxer, ok := demuxers[info.MIME]
	if !ok || info.Type != plan.Video {
		return nil, fault(path, nil, "is of the kind %s, but a video is needed.", info.MIME)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fault(path, err, "cannot be opened.")
	}
	v := &video{programs: found, path: absolute, demuxer: demuxer}
	about, err := v.probe(ctx)
	if err != nil {
		return nil, fault(path, err, "is damaged, or of a sort that cannot be read here; please send it again as an ordinary MP4.")
	}
	if len(about.Streams) == 0 || about.Streams[0].Width <= 0 || about.Streams[0].Height <= 0 {
		return nil, fault(path, nil, "holds no moving pictures.")
	}
	if s := about.Streams[0]; s.Width > f.limits.Pixels/s.Height {
		return nil, fault(path, nil, "has pictures of %d × %d pixels, and at most %d million are taken.", s.Width, s.Height, max(f.limits.Pixels/1_000_000, 1))
	}
	if v.duration = max(seconds(about.Streams[0].Duration), seconds(about.Format.Duration)); v.duration == 0 {
		v.duration = v.measure(ctx)
	}
	if v.duration > f.longest {
		return nil, fault(path, nil, "is %s long, and at most %s are taken.", plan.Span(v.duration), plan.Span(f.longest))
	}
	return v, nil
}

// about is the part of ffprobe's answer that counts.
type about struct {
	Streams []struct {
		Width    int64  `json:"width"`
		Height   int64  `json:"height"`
		Duration string `json:"duration"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

func (v *video) probe(ctx context.Context) (about, error) {
	const most = 64 << 10
	out, err := run(ctx, most, v.programs.ffprobe, v.args(nil,
		"-select_streams", "V:0", "-show_entries", "format=duration:stream=width,height,duration", "-of", "json")...)
	if err != nil {
		return about{}, err
	}
	var a about
	if err := json.Unmarshal(out, &a); err != nil {
		return about{}, err //nolint:wrapcheck // the caller says of what
	}
	return a, nil
}

// measure finds out how long a video is that does not say, as browsers record them, by
// walking through it without decoding; 0 if that fails.
func (v *video) measure(ctx context.Context) time.Duration {
	const most = 1 << 20
	out, err := run(ctx, most, v.programs.ffmpeg, v.args([]string{"-nostdin", "-nostats", "-progress", "pipe:1"},
		"-map", "0:V:0", "-c", "copy", "-f", "null", "-")...)
	if err != nil {
		return 0
	}
	var last time.Duration
	for line := range bytes.Lines(out) {
		if us, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "out_time_us="); ok {
			if n, err := strconv.ParseInt(us, 10, 64); err == nil && n > 0 {
				last = max(last, time.Duration(n)*time.Microsecond)
			}
		}
	}
	return last
}

// args are those of a program that reads the video: before its name and after it.
func (v *video) args(before []string, after ...string) []string {
	args := []string{
		"-hide_banner", "-v", "error", "-threads", "2",
		"-protocol_whitelist", "file,pipe", "-format_whitelist", v.demuxer, "-f", v.demuxer,
	}
	args = append(args, before...)
	args = append(args, "-i", "file:"+v.path)
	return append(args, after...)
}

// seconds reads a time of ffprobe; 0 if there is none.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) || f > 1e9 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
