package hftasktest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
)

// rate is the sample rate of generated sounds, in Hz.
const rate = 16000

// tone is a note: its frequency in Hz, 0 for a rest, and its length in seconds.
type tone struct{ hertz, seconds float64 }

// wav returns a 16-bit mono WAV file that plays tones one after another.
func wav(tones []tone) []byte {
	var samples []int16
	for _, t := range tones {
		n := int(t.seconds * rate)
		for i := range n {
			// Each tone fades in and out, to avoid clicks.
			swell := math.Sin(math.Pi * float64(i) / float64(n))
			samples = append(samples, int16(9000*swell*math.Sin(2*math.Pi*t.hertz*float64(i)/rate)))
		}
	}
	return wavOf(samples, rate)
}

// wavOf returns a WAV file of mono samples (Microsoft, Multimedia Programming Interface and Data
// Specifications 1.0).
func wavOf(samples []int16, rate int) []byte {
	var b bytes.Buffer
	size := 2 * len(samples)
	b.WriteString("RIFF")
	put(&b, uint32(36+size)) //nolint:gosec // a short sound
	b.WriteString("WAVEfmt ")
	put(&b, uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16)) //nolint:gosec // a rate
	b.WriteString("data")
	put(&b, uint32(size), samples) //nolint:gosec // a short sound
	return b.Bytes()
}

// put writes numbers in little-endian order.
func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v) //nolint:errcheck // writing to a buffer never fails
	}
}

// sound is the content of a WAV file.
type sound struct {
	rate    int
	samples []int16 // of the first channel
}

// seconds returns the length.
func (s sound) seconds() float64 { return float64(len(s.samples)) / float64(max(s.rate, 1)) }

// readWAV parses a 16-bit WAV file. It reports false for other sounds.
func readWAV(b []byte) (sound, bool) {
	const head = 12
	var s sound
	if sniff(b) != "audio/wav" {
		return s, false
	}
	channels := 0
	for at := head; at+8 <= len(b); {
		size := min(int(binary.LittleEndian.Uint32(b[at+4:])), len(b)-at-8)
		chunk := b[at+8 : at+8+size]
		switch {
		case string(b[at:at+4]) == "fmt " && size >= 16:
			channels, s.rate = int(binary.LittleEndian.Uint16(chunk[2:])), int(binary.LittleEndian.Uint32(chunk[4:]))
			if binary.LittleEndian.Uint16(chunk[14:]) != 16 {
				return s, false
			}
		case string(b[at:at+4]) == "data" && channels > 0:
			for i := 0; i+1 < size; i += 2 * channels {
				s.samples = append(s.samples, int16(binary.LittleEndian.Uint16(chunk[i:]))) //nolint:gosec // the same bits
			}
			return s, true
		}
		at += 8 + size + size%2
	}
	return s, false
}

// loudest returns the largest amplitude: 0 to 32768.
func (s sound) loudest() int {
	most := 0
	for _, v := range s.samples {
		most = max(most, int(v), -int(v))
	}
	return most
}

// hertz returns the pitch, judged by zero crossings.
func (s sound) hertz() float64 {
	crossed := 0
	for i := 1; i < len(s.samples); i++ {
		if s.samples[i-1] < 0 && s.samples[i] >= 0 {
			crossed++
		}
	}
	return float64(crossed) / max(s.seconds(), 1e-9)
}

// speak returns a tone for every word of a text, as long as the word.
func speak(_ *world, q *request) (any, error) {
	var tones []tone
	for _, word := range words(q.text()) {
		tones = append(tones, tone{120 + float64(hash(word)%200), 0.07 * float64(len([]rune(word)))}, tone{0, 0.06})
	}
	if len(tones) == 0 {
		return nil, bad("there is nothing to say")
	}
	return file{member: "audio", kind: "audio/wav", body: wav(tones), rate: rate}, nil
}

// playMusic returns a tune derived from a text: half a second for each word, at least four seconds.
func playMusic(_ *world, q *request) (any, error) {
	if strings.TrimSpace(q.text()) == "" {
		return nil, bad("the prompt is empty")
	}
	scale := []float64{220, 247.5, 275, 330, 366.7, 440} // pentatonic, which sounds good in any order
	seed := hash(q.text())
	var tones []tone
	for i := range max(16, 2*len(words(q.text()))) {
		seed = seed*1664525 + 1013904223
		length := 0.25
		if i%4 == 3 {
			length = 0.3
		}
		tones = append(tones, tone{scale[seed>>16%6%uint32(len(scale))], length}) //nolint:gosec // a short list
	}
	return file{member: "audio", kind: "audio/wav", body: wav(tones), rate: rate}, nil
}

// part is a sound in JSON.
type part struct {
	Label string `json:"label"`
	Blob  string `json:"blob"`
	Kind  string `json:"content-type"` //nolint:tagliatelle // the hub's name
}

// cleanSound normalises a recording and silences its quiet parts. Unreadable sounds stay as they are.
func cleanSound(_ *world, q *request) (any, error) {
	in := q.files["inputs"]
	kind := sniff(in)
	if s, ok := readWAV(in); ok {
		if len(s.samples) == 0 {
			return nil, bad("the recording has no samples")
		}
		kind = "audio/wav"
		most := max(s.loudest(), 1)
		for i, v := range s.samples {
			n := int(v) * 29000 / most
			if max(n, -n) < 500 {
				n = 0
			}
			s.samples[i] = int16(n)
		}
		in = wavOf(s.samples, s.rate)
	}
	return []part{{"speech", base64.StdEncoding.EncodeToString(in), kind}}, nil
}

// classifySound distinguishes silence, hum, speech and whistling by pitch. Unreadable sounds are music.
func classifySound(_ *world, q *request) (any, error) {
	first := "Music"
	if s, ok := readWAV(q.files["inputs"]); ok {
		switch pitch := s.hertz(); {
		case len(s.samples) == 0:
			return nil, bad("the recording has no samples")
		case s.loudest() < 100:
			first = "Silence"
		case pitch < 90:
			first = "Hum"
		case pitch < 400:
			first = "Speech"
		default:
			first = "Whistling"
		}
	}
	all := []label{{first, 0.85}}
	for _, name := range []string{"Speech", "Music", "Silence"} {
		if name != first {
			all = append(all, label{name, 0.05})
		}
	}
	return top(q, all), nil
}

// transcribe returns the fixed transcript, or "" for a silent recording.
func transcribe(wd *world, q *request) (any, error) {
	text, seconds := wd.heard, 1.0
	if in, ok := readWAV(q.files["inputs"]); ok {
		if len(in.samples) == 0 {
			return nil, bad("the recording has no samples")
		}
		if seconds = in.seconds(); in.loudest() < 100 {
			text = ""
		}
	}
	type chunk struct {
		Text      string     `json:"text"`
		Timestamp [2]float64 `json:"timestamp"`
	}
	out := struct {
		Text   string  `json:"text"`
		Chunks []chunk `json:"chunks,omitempty"`
	}{Text: text}
	if on, ok := q.params["return_timestamps"].(bool); ok && on {
		all := strings.Fields(text)
		for i, word := range all {
			length := seconds / float64(len(all))
			out.Chunks = append(out.Chunks, chunk{" " + word, [2]float64{length * float64(i), length * float64(i+1)}})
		}
	}
	return out, nil
}
