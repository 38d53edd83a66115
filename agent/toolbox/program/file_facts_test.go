package program

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

func TestFileFacts(t *testing.T) {
	t.Parallel()
	film := clip(t, "film.mp4", append(lavfi("color=red:size=160x120:rate=10:duration=2", "sine=duration=2:sample_rate=8000"), "-c:v", "libx264", "-c:a", "aac")...)
	song := clip(t, "song.mp3", append(lavfi("sine=duration=1"), "-metadata", "title=Rain\nand sun", "-metadata", "artist=Björk", "-metadata", "date=1997")...)
	opus := clip(t, "song.opus", append(lavfi("sine=duration=1"), "-metadata", "title=Rain")...)
	covered := clip(t, "covered.mp3", append(lavfi("sine=duration=1", "color=red:size=64x64:duration=1:rate=1"), "-map", "0", "-map", "1", "-c:v", "png", "-disposition:v", "attached_pic")...)
	sound := clip(t, "sound.wav", append(lavfi("sine=duration=1:sample_rate=8000"), "-ac", "2")...)
	for _, tt := range []struct {
		run, arg, path string
		says           []string
	}{
		{"video_facts", "video", film, []string{"File type: MP4 video", "Duration: 0:02", "Dimensions: 160 × 120 pixels", "Frame rate: 10 frames per second", "Video codec: H.264 (h264)", "Audio codec: AAC", "Channels: 1 (mono)", "Bit rate: "}},
		{"audio_facts", "audio", song, []string{"Title: Rain and sun\n", "Artist: Björk\n", "Year: 1997\n"}},
		{"audio_facts", "audio", opus, []string{"Title: Rain\n"}},
		{"audio_facts", "audio", covered, []string{"Cover picture: yes"}},
		{"audio_facts", "audio", sound, []string{"File type: WAV sound", "Size: 32.", "Duration: 0:01 (1 seconds)", "Channels: 2 (stereo)", "Sample rate: 8000 Hz"}},
	} {
		b := newBackend(t)
		out, err := b.Run(t.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: "program", Run: tt.run}}, callOf(t, args{tt.arg: list(fileOf(plan.Type(tt.arg), tt.path))}))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range tt.says {
			if !strings.Contains(out.Value, line) {
				t.Errorf("%s: %q does not say %q", tt.run, out.Value, line)
			}
		}
	}
}
