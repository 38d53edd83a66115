package ffmpeg

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
)

// source is a file that passed the checks.
type source struct {
	f          *FFmpeg
	programs   programs
	path       string // absolute, not a link
	demuxer    string
	ours       bool          // written by ffmpeg just now
	lastPacket time.Duration // start of its last packet, 0 if unknown
	look       Look
	plays      bool // whether its beginning was decoded
}

// demuxers maps MIME types to ffmpeg's demuxers. None of these opens other files, as those for
// playlists and scripts do.
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

	"audio/mpeg":       "mp3",
	"audio/wav":        "wav",
	"audio/flac":       "flac",
	"audio/ogg":        "ogg",
	"application/ogg":  "ogg",
	"audio/mp4":        "mov",
	"audio/x-m4a":      "mov",
	"audio/webm":       "matroska",
	"audio/x-matroska": "matroska",
	"audio/aac":        "aac",
	"audio/aiff":       "aiff",
	"audio/amr":        "amr",
}

// open inspects an audio or video file without decoding it. If ours is set, it is assumed to be complete.
func (f *FFmpeg) open(ctx context.Context, programs programs, path string, ours bool) (*source, error) {
	at, err := place(path)
	if err != nil {
		return nil, err
	}
	info, err := media.Inspect(ctx, path, f.limits)
	if err != nil {
		return nil, err
	}
	content := f.looks.content(at)
	if known, ok := f.looks.of(content); ok {
		return &source{f: f, programs: programs, path: at, demuxer: demuxers[known.look.MIME], look: known.look, plays: known.plays}, nil
	}
	demuxer, ok := demuxers[info.MIME]
	switch {
	case info.MIME == "audio/midi":
		return nil, fault(path, nil, "is a MIDI file, which has notes but no sound; please send it as MP3 or WAV.")
	case !ok:
		return nil, fault(path, nil, "is of type %s, but sound or a video is needed.", info.Type)
	}
	s := &source{f: f, programs: programs, path: at, demuxer: demuxer, ours: ours, look: Look{Type: plan.Audio, MIME: info.MIME}}
	said, err := s.walk(ctx)
	if err != nil {
		return nil, s.damaged(ctx, err)
	}
	if s.look.Streams = said.streams(said.hdr() && s.mapsTones(ctx)); len(s.look.Streams) == 0 {
		if said.empty() {
			return nil, fault(path, nil, "has no sound in it; please send it again.")
		}
		return nil, fault(path, nil, "has neither sound nor video.")
	}
	s.look.Subtitles, s.look.Cover, s.look.Tags = said.subtitles(), said.cover(), said.tags()
	whole := s.whole(said)
	switch {
	case ctx.Err() != nil:
		return nil, media.Stopped(ctx)
	case !whole:
		return nil, fault(path, nil, "is cut off: only part of it is there; please send it again.")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	f.looks.remember(content, found{look: s.look})
	return s, nil
}

// whole reports whether the file is as long as declared, and sets its duration.
func (s *source) whole(said answer) bool {
	lastPacket := s.lastPacket
	s.look.Duration = said.duration()
	switch {
	case s.demuxer == "mov":
		return !said.cutOff()
	case s.ours && s.look.Duration > 0:
		return true
	}
	if sure[s.demuxer] && s.look.Duration > 0 {
		return (lastPacket == 0 || lastPacket+said.packetLength(lastPacket) >= s.look.Duration*9/10-tolerance) && chunksWhole(s.path)
	}
	s.look.Duration = cmp.Or(lastPacket, s.look.Duration)
	return true
}

// chunksWhole reports whether a WAV or AIFF file is as long as its header says, which ffmpeg ignores.
// Other files count as whole.
func chunksWhole(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // ffmpeg will report the error
	}
	defer f.Close() //nolint:errcheck // only read
	var head [8]byte
	info, err := f.Stat()
	if _, short := io.ReadFull(f, head[:]); err != nil || short != nil {
		return true
	}
	var size uint32
	switch string(head[:4]) {
	case "RIFF":
		size = binary.LittleEndian.Uint32(head[4:])
	case "FORM":
		size = binary.BigEndian.Uint32(head[4:])
	}
	const unknown = 0x7fff0000 // this or more: length unknown while writing
	return size >= unknown || int64(size)+8 <= info.Size()+1
}

// tolerance is how much shorter than declared a file may be, in addition to a tenth: video and audio
// streams rarely end at the same time.
const tolerance = 200 * time.Millisecond

// sure lists the demuxers of formats that store the duration in the header; for others ffprobe estimates it.
var sure = map[string]bool{"matroska": true, "avi": true, "flv": true, "wav": true, "flac": true, "aiff": true}

// place returns the real path of a file. It rejects links: a program may have left one to gain access
// to another file. A missing file is not an error here.
func place(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = errors.New("it is a link")
	}
	at := path
	if err == nil {
		at, err = filepath.EvalSymlinks(path) // folders may be links
	}
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err != nil {
		return "", fault(path, err, "cannot be opened.")
	}
	return at, nil
}

// check rejects files that are too large or too long.
func (s *source) check() error {
	if v := s.look.Video(); v != nil {
		s.look.Type = plan.Video
		if most := s.f.limits.Pixels; int64(v.Width) > most/int64(v.Height) {
			return fault(s.path, nil, "has frames of %d × %d pixels, and the limit is %d million.", v.Width, v.Height, max(most/1_000_000, 1))
		}
	}
	if s.look.Duration > s.f.longest {
		return fault(s.path, nil, "is %s long, and the limit is %s.", plan.Span(s.look.Duration), plan.Span(s.f.longest))
	}
	return nil
}

// damaged returns the error for a file that a program could not process; other errors stay as they are.
func (s *source) damaged(ctx context.Context, err error) error {
	if _, gaveUp := errors.AsType[*exec.ExitError](err); !gaveUp || ctx.Err() != nil {
		return err
	}
	return fault(s.path, err, "is damaged or in a format that cannot be read here; please send it again as an ordinary MP4.")
}

// probe runs ffprobe on the file, counting its packets.
func (s *source) probe(ctx context.Context) (answer, error) {
	out, err := s.run(ctx, s.programs.ffprobe, 256<<10, s.args(nil, "-count_packets", "-show_entries", entries, "-of", "json"))
	if err != nil {
		return answer{}, err
	}
	return parse(out)
}

// walk probes the file and, if its format needs it, measures it in parallel.
func (s *source) walk(ctx context.Context) (answer, error) {
	var background sync.WaitGroup
	if s.demuxer != "mov" && !s.ours {
		background.Go(func() { s.lastPacket = s.measure(ctx) })
	}
	said, err := s.probe(ctx)
	background.Wait()
	if s.ours && err == nil && said.duration() == 0 {
		s.lastPacket = s.measure(ctx)
	}
	return said, err
}

// measure returns the start of a file's last packet, by copying its streams without decoding; 0 on failure.
func (s *source) measure(ctx context.Context) time.Duration {
	out, err := s.run(ctx, s.programs.ffmpeg, 1<<20,
		s.args([]string{"-nostdin", "-nostats", "-progress", "pipe:1"}, "-map", "0:V?", "-map", "0:a?", "-c", "copy", "-f", "null", "-"))
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

// mapsTones reports whether ffmpeg has the filter for [toneMapping] that not all builds have.
func (s *source) mapsTones(ctx context.Context) bool {
	out, err := s.run(ctx, s.programs.ffmpeg, 64<<10, []string{"-hide_banner", "-h", "filter=zscale"})
	return err == nil && bytes.HasPrefix(out, []byte("Filter zscale"))
}

func (s *source) run(ctx context.Context, program string, most int, args []string) ([]byte, error) {
	return s.f.sandbox.Run(ctx, sandbox.Command{Program: program, Args: args, Read: []string{s.path}, Most: most, Env: environment(), Timeout: s.f.timeout})
}

// args returns the arguments of a program that reads the file: before its name and after it.
func (s *source) args(before []string, after ...string) []string {
	args := append([]string{"-hide_banner", "-v", "error", "-threads", "2"}, before...)
	args = append(args, reading(s.demuxer, s.path)...)
	return append(args, after...)
}

// reading returns the arguments to read a file with one demuxer only.
func reading(demuxer, path string) []string {
	return []string{"-protocol_whitelist", "file,pipe", "-format_whitelist", demuxer, "-f", demuxer, "-i", "file:" + path}
}

func environment() []string { return []string{"AV_LOG_FORCE_NOCOLOR=1"} }
