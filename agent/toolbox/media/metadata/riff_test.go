package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// header returns a RIFF header with the given length.
func header(form string, said uint32) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), said), form...)
}

// lasting returns a chunk header with the given length.
func lasting(kind string, said uint32, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(kind), said), body...)
}

// TestStreamedSoundStaysWhole: streaming writers do not know the length in advance.
func TestStreamedSoundStaysWhole(t *testing.T) {
	t.Parallel()
	const unknown = 0xFFFFFFFF
	form := riff("fmt ", []byte("\x01\x00\x01\x00\x40\x1F\x00\x00\x80\x3E\x00\x00\x02\x00\x10\x00"))
	notes := riff("LIST", []byte("INFOISFT\x06\x00\x00\x00secret"))
	playable := make([]byte, 2000)
	for i := range playable {
		playable[i] = byte(i * 7)
	}
	for name, c := range map[string]struct {
		before, after []byte // nil means unchanged
	}{
		"length 0":                {slices.Concat(header("WAVE", 0), form, lasting("data", 0, playable)), nil},
		"length 0, with notes":    {slices.Concat(header("WAVE", 0), form, notes, lasting("data", 0, playable)), slices.Concat(header("WAVE", 0), form, lasting("data", 0, playable))},
		"no length":               {slices.Concat(header("WAVE", unknown), form, lasting("data", unknown, playable)), nil},
		"no length, with notes":   {slices.Concat(header("WAVE", unknown), form, notes, lasting("data", unknown, playable)), slices.Concat(header("WAVE", unknown), form, lasting("data", unknown, playable))},
		"cut off":                 {slices.Concat(header("WAVE", 9036), form, lasting("data", 9000, playable)), nil},
		"too short a length":      {slices.Concat(header("WAVE", 136), form, lasting("data", 100, playable)), nil},
		"a chunk without padding": {slices.Concat(header("WAVE", 2051), lasting("abcd", 3, []byte("abc")), form, lasting("data", 2000, playable)), nil},
		"no sound at all":         {slices.Concat(header("WAVE", 40), form, riff("abcd", []byte("ab"))), nil},
		"waves in a list": {
			slices.Concat(header("WAVE", 2068), form, notes, riff("LIST", slices.Concat([]byte("wavl"), riff("data", playable)))),
			slices.Concat(header("WAVE", 2048), form, riff("LIST", slices.Concat([]byte("wavl"), riff("data", playable)))),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := c.after
			if want == nil {
				want = c.before
			}
			if _, after := stripped(t, "a.wav", c.before); !bytes.Equal(after, want) {
				t.Errorf("%d bytes come to %d, beginning % x", len(c.before), len(after), after[:min(len(after), 80)])
			}
		})
	}
}

// shortFlags is an extended WebP header that is too short for flags.
func shortFlags(t *testing.T) []byte {
	t.Helper()
	still := pictures(t)["plain.webp"]
	b := slices.Concat(still, riff("VP8X", nil), riff("EXIF", exifWith()))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func TestInvalidWebPStays(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{"short flags": shortFlags(t), "no picture": slices.Concat(header("WEBP", 16), riff("abcd", []byte("abcd")))} {
		path := write(t, "a.webp", content)
		if got, err := File(t.Context(), path); err != nil || got != path {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestTrailingBytesOfWebPAreDropped(t *testing.T) {
	t.Parallel()
	still := pictures(t)["plain.webp"]
	for name, behind := range map[string][]byte{"words": []byte("secret words behind the end"), "a chunk": riff("VP8L", []byte("secret"))} {
		if _, after := stripped(t, "a.webp", slices.Concat(still, behind)); !bytes.Equal(after, still) {
			t.Errorf("%s: % x", name, after)
		}
	}
}
