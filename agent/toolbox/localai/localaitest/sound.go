package localaitest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"time"
)

// rate is how many samples a second sounds have.
const rate = 16000

// Tone is a WAV sound of a pitch that belongs to the text. The text goes along, so that it
// can be written down again.
func Tone(text string, long time.Duration) []byte {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	pitch := 220 + float64(h.Sum32()%660)
	samples := int(long.Seconds() * rate)
	data := make([]byte, 0, 2*samples)
	for i := range samples {
		v := int16(8000 * math.Sin(2*math.Pi*pitch*float64(i)/rate))
		data = binary.LittleEndian.AppendUint16(data, uint16(v)) //nolint:gosec // its bits
	}
	comment := []byte(text + "\x00")
	if len(comment)%2 == 1 {
		comment = append(comment, 0)
	}
	info := chunk("LIST", append([]byte("INFO"), chunk("ICMT", comment)...))
	format := []byte{1, 0, 1, 0, 0x80, 0x3e, 0, 0, 0, 0x7d, 0, 0, 2, 0, 16, 0} // PCM, mono, 16 kHz, 16 bits
	body := append([]byte("WAVE"), chunk("fmt ", format)...)
	body = append(body, info...)
	return chunk("RIFF", append(body, chunk("data", data)...))
}

// chunk is a chunk of RIFF.
func chunk(id string, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(content))) //nolint:gosec // it is small
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// Said is the text of a sound that Tone made, "" of any other.
func Said(wav []byte) string {
	_, rest, ok := bytes.Cut(wav[:min(len(wav), 1<<16)], []byte("ICMT"))
	if !ok || len(rest) < 4 {
		return ""
	}
	text, _, _ := strings.Cut(string(rest[4:]), "\x00")
	return text
}

func compose(r *Request) (result, error) { return result{file: Tone(r.Text("text"), time.Second)}, nil }

// speak takes a moment for each letter.
func speak(r *Request) (result, error) {
	long := time.Duration(len(r.Text("input"))) * 50 * time.Millisecond
	return result{file: Tone(r.Text("input"), min(max(long, time.Second/2), 10*time.Second))}, nil
}

// errSilent is a file that is no sound.
var errSilent = errors.New("the file is no sound")

// isSound reports whether a file begins as one of the kinds that ffmpeg, which LocalAI asks,
// takes for sound.
func isSound(b []byte) bool {
	return bytes.HasPrefix(b, []byte("RIFF")) || bytes.HasPrefix(b, []byte("OggS")) || bytes.HasPrefix(b, []byte("fLaC")) ||
		bytes.HasPrefix(b, []byte("ID3")) || len(b) > 8 && string(b[4:8]) == "ftyp" || len(b) > 1 && b[0] == 0xFF && b[1]&0xE0 == 0xE0
}

func transcribe(r *Request) (result, error) {
	if !isSound(r.Files["file"]) {
		return result{}, errSilent
	}
	text := Said(r.Files["file"])
	if text == "" {
		text = "a tone"
	}
	return result{json: map[string]any{"text": text}}, nil
}

func classify(r *Request) (result, error) {
	if !isSound(r.Files["file"]) {
		return result{}, errSilent
	}
	return result{json: map[string]any{"model": r.Model, "detections": []any{
		map[string]any{"index": 137, "label": "Music", "score": 0.81},
		map[string]any{"index": 495, "label": "Sine wave", "score": 0.9},
	}}}, nil
}

func transform(r *Request) (result, error) {
	if !isSound(r.Files["audio"]) {
		return result{}, errSilent
	}
	return result{file: Tone(Said(r.Files["audio"]), time.Second)}, nil
}
