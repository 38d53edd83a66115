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

// rate is the sample rate of sounds, in Hz.
const rate = 16000

// Tone returns a WAV sound whose pitch derives from the text. The text is stored in it, so that it can be
// transcribed.
func Tone(text string, long time.Duration) []byte {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
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

// chunk returns a RIFF chunk.
func chunk(id string, content []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(content))) //nolint:gosec // it is small
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// Said returns the text of a sound made by Tone, "" for others.
func Said(wav []byte) string {
	_, rest, ok := bytes.Cut(wav[:min(len(wav), 1<<16)], []byte("ICMT"))
	if !ok || len(rest) < 4 {
		return ""
	}
	text, _, _ := strings.Cut(string(rest[4:]), "\x00")
	return text
}

func compose(r *Request) (result, error) { return result{file: Tone(r.Text("text"), time.Second)}, nil }

// speak returns 50 ms of sound for each byte of the text.
func speak(r *Request) (result, error) {
	long := time.Duration(len(r.Text("input"))) * 50 * time.Millisecond
	return result{file: Tone(r.Text("input"), min(max(long, time.Second/2), 10*time.Second))}, nil
}

// errSilent is returned for a file that is not a sound.
var errSilent = errors.New("the file is not a sound")

// isSound reports whether a file starts like a sound format that ffmpeg, which LocalAI uses, can read.
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
