package video

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/machine"
)

// factsOf returns the operation that describes the file of an argument. It decodes nothing.
func (v Videos) factsOf(arg string) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		path, err := machine.FileIn(c, arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		look, err := v.FFmpeg.Look(ctx, path)
		if err != nil {
			return toolbox.Output{}, fmt.Errorf("probe a file: %w", err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return toolbox.Output{}, fmt.Errorf("measure the file: %w", err)
		}
		return toolbox.Output{Value: factsText(look, info.Size()), About: plan.Say("facts about the file")}, nil
	}
}

// factsText describes a sound or video file, one fact per line.
func factsText(look ffmpeg.Look, size int64) string {
	all := []media.Detail{
		{Name: "File type", Value: media.KindName(look.MIME)},
		{Name: "Size", Value: media.SizeOf(size)},
		{Name: "Duration", Value: lasting(look.Duration)},
	}
	if v := look.Video(); v != nil {
		all = append(all,
			media.Detail{Name: "Dimensions", Value: fmt.Sprintf("%d × %d pixels", v.Width, v.Height)},
			media.Detail{Name: "Frame rate", Value: frameRate(v)},
			media.Detail{Name: "Video codec", Value: codecName(v.Codec)},
		)
	}
	if a := look.Audio(); a != nil {
		all = append(all,
			media.Detail{Name: "Audio codec", Value: codecName(a.Codec)},
			media.Detail{Name: "Channels", Value: channels(a.Channels)},
			media.Detail{Name: "Sample rate", Value: fmt.Sprintf("%d Hz", a.Frequency)},
		)
	} else {
		all = append(all, media.Detail{Name: "Sound", Value: "none"})
	}
	for _, tag := range []struct{ name, key string }{{"Title", "title"}, {"Artist", "artist"}, {"Album", "album"}, {"Year", "date"}, {"Genre", "genre"}} {
		all = append(all, media.Detail{Name: tag.name, Value: toolbox.Shorten(look.Tags[tag.key])})
	}
	if look.Cover {
		all = append(all, media.Detail{Name: "Cover picture", Value: "yes"})
	}
	if seconds := look.Duration.Seconds(); seconds > 0 {
		all = append(all, media.Detail{Name: "Bit rate", Value: fmt.Sprintf("%.0f kbit/s", float64(size)*8/seconds/1000)})
	}
	return media.Details(all...)
}

// lasting formats a duration as "0:12.4 (12.4 seconds)", or "unknown" for 0.
func lasting(d time.Duration) string {
	if d <= 0 {
		return "unknown"
	}
	d = d.Round(10 * time.Millisecond)
	minutes := int(d.Minutes())
	clock := fmt.Sprintf("%d:%02d", minutes%60, int(d.Seconds())%60)
	if minutes >= 60 {
		clock = fmt.Sprintf("%d:%02d:%02d", minutes/60, minutes%60, int(d.Seconds())%60)
	}
	return fmt.Sprintf("%s (%s seconds)", clock, trimmed(d.Seconds()))
}

// trimmed formats a number with at most two decimals.
func trimmed(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func frameRate(v *ffmpeg.Stream) string {
	switch {
	case v.Rate <= 0:
		return "unknown"
	case v.Variable:
		return trimmed(v.Rate) + " frames per second on average (variable)"
	}
	return trimmed(v.Rate) + " frames per second"
}

func channels(n int) string {
	switch n {
	case 1:
		return "1 (mono)"
	case 2:
		return "2 (stereo)"
	}
	return strconv.Itoa(n)
}

// codecName returns the common name of a codec with ffmpeg's name for it: "H.264 (h264)".
func codecName(codec string) string {
	known := map[string]string{
		"h264": "H.264", "hevc": "H.265", "av1": "AV1", "vp8": "VP8", "vp9": "VP9", "mpeg4": "MPEG-4", "theora": "Theora",
		"aac": "AAC", "mp3": "MP3", "opus": "Opus", "vorbis": "Vorbis", "flac": "FLAC",
	}[codec]
	if known == "" {
		return codec
	}
	if strings.EqualFold(known, codec) {
		return known
	}
	return known + " (" + codec + ")"
}
