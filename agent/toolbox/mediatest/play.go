package mediatest

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"slices"
	"strings"
	"time"
)

// Tone returns a WAV sound (16 kHz, mono, 16 bits) whose pitch derives from the text. The text is stored in it,
// so that it can be transcribed.
func Tone(text string, long time.Duration) []byte {
	const rate = 16000
	pitch := 220 + float64(hash(text)%660)
	samples := int(long.Seconds() * rate)
	data := make([]byte, 0, 2*samples)
	for i := range samples {
		v := int16(8000 * math.Sin(2*math.Pi*pitch*float64(i)/rate))
		data = binary.LittleEndian.AppendUint16(data, uint16(v)) //nolint:gosec // its bits
	}
	info := append([]byte("INFO"), chunk("ICMT", []byte(text+"\x00"))...)
	format := words(nil, 1<<16|1, rate, 2*rate, 16<<16|2) // PCM and mono; the rates; 2 bytes and 16 bits a sample
	return chunk("RIFF", slices.Concat([]byte("WAVE"), chunk("fmt ", format), chunk("LIST", info), chunk("data", data)))
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

// FramesASecond is the frame rate of videos.
const FramesASecond = 8

// Film returns a silent video of frames of one size: Motion JPEG in AVI (Microsoft, AVI RIFF File Reference).
func Film(frames []*image.NRGBA) []byte {
	w, h := frames[0].Rect.Dx(), frames[0].Rect.Dy()
	var movi, index []byte
	largest := 0
	movi = append(movi, "movi"...)
	for _, frame := range frames {
		content := JPEG(frame)
		index = append(index, "00dc"...)
		index = words(index, 0x10, len(movi), len(content))
		movi = append(movi, chunk("00dc", content)...)
		largest = max(largest, len(content))
	}
	const micro = 1_000_000 / FramesASecond
	main := words(nil, micro, largest*FramesASecond, 0, 0x10, len(frames), 0, 1, largest, w, h, 0, 0, 0, 0)
	stream := words([]byte("vidsMJPG"), 0, 0, 0, 1, FramesASecond, 0, len(frames), largest, -1, 0, 0, h<<16|w)
	format := words(nil, 40, w, h, 24<<16|1)
	format = append(format, "MJPG"...)
	format = words(format, 3*w*h, 0, 0, 0, 0)
	strl := slices.Concat([]byte("strl"), chunk("strh", stream), chunk("strf", format))
	hdrl := slices.Concat([]byte("hdrl"), chunk("avih", main), chunk("LIST", strl))
	return chunk("RIFF", slices.Concat([]byte("AVI "), chunk("LIST", hdrl), chunk("LIST", movi), chunk("idx1", index)))
}

// chunk returns a RIFF chunk.
func chunk(id string, content []byte) []byte {
	b := words([]byte(id), len(content))
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// words appends 32-bit numbers in little-endian order.
func words(to []byte, numbers ...int) []byte {
	for _, n := range numbers {
		to = binary.LittleEndian.AppendUint32(to, uint32(n)) //nolint:gosec // its bits
	}
	return to
}
