package ffmpeg

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answer is the part of ffprobe's JSON output that is used (see doc/ffprobe.xsd of ffmpeg).
type answer struct {
	Streams []answeredStream `json:"streams"`
	Format  struct {
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

type answeredStream struct {
	Index       int    `json:"index"`
	Kind        string `json:"codec_type"`
	Codec       string `json:"codec_name"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Average     string `json:"avg_frame_rate"`
	Base        string `json:"r_frame_rate"`
	Pixels      string `json:"pix_fmt"`
	Shape       string `json:"sample_aspect_ratio"`
	Transfer    string `json:"color_transfer"`
	Frequency   string `json:"sample_rate"`
	Channels    int    `json:"channels"`
	Duration    string `json:"duration"`
	Promised    string `json:"nb_frames"`
	Packets     string `json:"nb_read_packets"`
	Disposition struct {
		Cover int `json:"attached_pic"`
	} `json:"disposition"`
	Tags  map[string]string `json:"tags"`
	Sides []struct {
		Rotation float64 `json:"rotation"`
	} `json:"side_data_list"`
}

// entries are the fields requested from ffprobe.
const entries = "format=duration:format_tags=title,artist,album,date,genre" +
	":stream=index,codec_type,codec_name,width,height,avg_frame_rate,r_frame_rate,pix_fmt,sample_aspect_ratio,color_transfer" +
	",sample_rate,channels,duration,nb_frames,nb_read_packets" +
	":stream_disposition=attached_pic:stream_tags=alpha_mode,title,artist,album,date,genre:stream_side_data=rotation"

// maxSide is more than any valid side of a picture.
const maxSide = 1 << 20

// parse parses ffprobe's output.
func parse(b []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(b, &a); err != nil {
		return answer{}, fmt.Errorf("parse the output of ffprobe: %w", err)
	}
	return a, nil
}

// streams returns the non-empty audio and video streams, of which those of a high dynamic range are toned down if flat
// is set.
func (a answer) streams(flat bool) []Stream {
	var all []Stream
	for _, s := range a.Streams {
		if s.counts() {
			all = append(all, s.stream(flat))
		}
	}
	return all
}

// hdr reports whether a video stream has a high dynamic range.
func (a answer) hdr() bool {
	return slices.ContainsFunc(a.Streams, func(s answeredStream) bool { return s.counts() && s.hdr() })
}

// subtitles returns the subtitle tracks.
func (a answer) subtitles() []Subtitle {
	var all []Subtitle
	for _, s := range a.Streams {
		if s.Kind == "subtitle" {
			drawn := slices.Contains([]string{"hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle", "xsub", "dvb_teletext"}, s.Codec)
			all = append(all, Subtitle{Codec: s.Codec, Text: !drawn})
		}
	}
	return all
}

// tags are those of the whole, or of its sound where the format keeps them there, by their names in small letters.
func (a answer) tags() map[string]string {
	all := map[string]string{}
	for _, s := range a.Streams {
		if s.Kind == "audio" {
			maps.Copy(all, lowered(s.Tags))
		}
	}
	maps.Copy(all, lowered(a.Format.Tags))
	return all
}

func lowered(tags map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range tags {
		all[strings.ToLower(name)] = value
	}
	return all
}

func (a answer) cover() bool {
	return slices.ContainsFunc(a.Streams, func(s answeredStream) bool { return s.Kind == "video" && s.Disposition.Cover != 0 })
}

// duration returns the longest duration of a stream or the file; 0 if unknown.
func (a answer) duration() time.Duration {
	d := seconds(a.Format.Duration)
	for _, s := range a.Streams {
		if s.counts() {
			d = max(d, seconds(s.Duration))
		}
	}
	return d
}

// packetLength estimates the duration of a packet, given when the last one starts. Packets of an 8 kHz
// FLAC last half a second.
func (a answer) packetLength(last time.Duration) time.Duration {
	most := 0
	for _, s := range a.Streams {
		if s.counts() {
			most = max(most, number(s.Packets))
		}
	}
	return last / time.Duration(max(most-1, 1))
}

// cutOff reports whether a stream has far fewer packets than the file declares, if it declares them. For PCM it declares
// samples, of which a packet has many.
func (a answer) cutOff() bool {
	for _, s := range a.Streams {
		if strings.HasPrefix(s.Codec, "pcm_") {
			continue
		}
		if promised, read := number(s.Promised), number(s.Packets); s.counts() && read < promised-promised/50-1 {
			return true
		}
	}
	return false
}

func (s answeredStream) counts() bool {
	sound := s.Kind == "audio" && number(s.Frequency) > 0
	pictures := s.Kind == "video" && s.Disposition.Cover == 0 && between(s.Width) && between(s.Height)
	return (sound || pictures) && number(s.Packets) > 0
}

// empty reports whether the file has only audio streams, all without samples.
func (a answer) empty() bool {
	for _, s := range a.Streams {
		if s.Kind != "audio" || number(s.Packets) > 0 {
			return false
		}
	}
	return len(a.Streams) > 0
}

func between(side int) bool { return side > 0 && side <= maxSide }

func (s answeredStream) stream(flat bool) Stream {
	if s.Kind == "audio" {
		return Stream{
			Index: s.Index, Kind: s.Kind, Codec: s.Codec, Frequency: number(s.Frequency), Channels: max(s.Channels, 0),
			Packets: number(s.Packets), Duration: seconds(s.Duration),
		}
	}
	out := Stream{
		Index: s.Index, Kind: s.Kind, Codec: s.Codec, Pixels: s.Pixels, Width: s.squared(), Height: s.Height, Rate: rate(s.Average), Alpha: s.alpha(),
		Packets: number(s.Packets), Duration: seconds(s.Duration),
	}
	base := rate(s.Base)
	out.Variable = base > 0 && out.Rate > 0 && math.Abs(base-out.Rate) > out.Rate/100
	for _, side := range s.Sides {
		if quarter := int(math.Round(side.Rotation / 90)); quarter%2 != 0 {
			out.Width, out.Height = out.Height, out.Width
		}
	}
	if s.squared() != s.Width {
		out.Plain = fmt.Sprintf("scale=%d:%d,setsar=1,", out.Width, out.Height)
	}
	if flat && s.hdr() {
		out.Plain += fmt.Sprintf(toneMapping, s.Transfer)
	}
	return out
}

// hdr reports whether the stream has a high dynamic range: PQ or HLG, as phones record it.
func (s answeredStream) hdr() bool {
	return s.Kind == "video" && (s.Transfer == "smpte2084" || s.Transfer == "arib-std-b67")
}

// toneMapping holds the filters that turn a high dynamic range into BT.709. White of 203 cd/m² stays white, and grey
// stays as bright as it is (https://www.itu.int/pub/R-REP-BT.2408).
const toneMapping = "zscale=tin=%s:pin=bt2020:min=bt2020nc:t=linear:p=bt709:npl=203,format=gbrpf32le,tonemap=mobius," +
	"zscale=t=bt709:m=bt709:r=tv,format=yuv420p,"

// squared returns the width with square pixels: old films have pixels that are wider than high.
func (s answeredStream) squared() int {
	across, down, _ := strings.Cut(s.Shape, ":")
	x, y := number(across), number(down)
	if x <= 0 || y <= 0 || x > 100*y || y > 100*x {
		return s.Width
	}
	return max(1, int(math.Round(float64(s.Width)*float64(x)/float64(y))))
}

// alpha reports transparency by the names of ffmpeg's pixel formats: yuva420p, rgba, argb, ya8, gbrap.
// VP8 and VP9 store it separately and mark it with a tag.
func (s answeredStream) alpha() bool {
	for _, with := range []string{"yuva", "rgba", "bgra", "argb", "abgr", "gbra", "ya8", "ya16", "pal8"} {
		if strings.HasPrefix(s.Pixels, with) {
			return true
		}
	}
	return lowered(s.Tags)["alpha_mode"] == "1"
}

// number parses a non-negative integer; 0 if invalid.
func number(s string) int {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int(n)
}

// rate parses a frame rate such as "30000/1001"; 0 if invalid.
func rate(s string) float64 {
	over, under, _ := strings.Cut(s, "/")
	if o, u := number(over), number(under); o > 0 && u > 0 {
		return float64(o) / float64(u)
	}
	return 0
}

// seconds parses a duration from ffprobe; 0 if invalid.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) || f > 1e9 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}

// Seconds formats a duration for the programs: "1.500000".
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }
