package container

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// boxed returns a box in MP4 format.
func boxed(name string, body ...[]byte) []byte {
	all := bytes.Join(body, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(all))), name...), all...)
}

// handled returns a track with its handler.
func handled(handler string) []byte {
	return boxed("trak", boxed("mdia", boxed("mdhd"), boxed("hdlr", make([]byte, 8), []byte(handler), make([]byte, 12))))
}

const isom = "isom\x00\x00\x02\x00isomiso2mp41"

// reads counts the reads of a file.
type reads struct {
	*bytes.Reader

	n int
}

func (r *reads) ReadAt(b []byte, at int64) (int, error) {
	r.n++
	return r.Reader.ReadAt(b, at)
}

// hears reports whether a file has audio but no video.
func hears(tracks func(io.ReaderAt, int64) (Tracks, bool), r io.ReaderAt, size int) bool {
	found, ok := tracks(r, int64(size))
	return ok && found.Sound > 0 && found.Pictures == 0
}

func TestTracksOfBoxes(t *testing.T) {
	t.Parallel()
	long := append([]byte("\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00"), byte(16+len(handled("soun"))))
	huge := []byte("\x00\x00\x00\x01moov\xff\xff\xff\xff\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		boxes []byte
		sound bool
	}{
		"sound":                {boxed("moov", boxed("mvhd"), handled("soun")), true},
		"sound and subtitles":  {boxed("moov", handled("soun"), handled("sbtl")), true},
		"sound and pictures":   {boxed("moov", handled("soun"), handled("vide")), false},
		"subtitles":            {boxed("moov", handled("sbtl")), false},
		"no tracks":            {boxed("moov"), false},
		"a length of 64 bits":  {append(long, handled("soun")...), true},
		"a length of too many": {append(huge, handled("soun")...), false},
		"to the end":           {append([]byte("\x00\x00\x00\x00moov"), handled("soun")...), true},
		"a track that is cut":  {boxed("moov", handled("soun"), []byte("\x00\x00\x00\x40trak")), false},
		"a box of no length":   {boxed("moov", handled("soun"), []byte("\x00\x00\x00\x07trak")), false},
		"a handler of nothing": {boxed("moov", handled("soun"), boxed("trak", boxed("mdia", boxed("hdlr")))), false},
	} {
		b := append(boxed("ftyp", []byte(isom)), c.boxes...)
		if got := hears(MP4, bytes.NewReader(b), len(b)); got != c.sound {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestEndlessPartsAreNotFollowed: the work for a file of many small parts is bounded.
func TestEndlessPartsAreNotFollowed(t *testing.T) {
	t.Parallel()
	film := append(boxed("ftyp", []byte(isom)), bytes.Repeat(boxed("free"), 100_000)...)
	voids := append([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"), bytes.Repeat([]byte("\xec\x80"), 100_000)...)
	for name, c := range map[string]struct {
		tracks func(io.ReaderAt, int64) (Tracks, bool)
		b      []byte
	}{"MP4": {MP4, film}, "Matroska": {Matroska, voids}} {
		r := &reads{Reader: bytes.NewReader(c.b)}
		if is := hears(c.tracks, r, len(c.b)); is || r.n > MaxParts+2 || r.n < MaxParts/2 {
			t.Errorf("%s: %v, after %d reads", name, is, r.n)
		}
	}
}

// FuzzTracks: counting tracks ends for any bytes.
func FuzzTracks(f *testing.F) {
	f.Add(append(boxed("ftyp", []byte(isom)), boxed("moov", handled("soun"), handled("vide"))...))
	f.Add(append(boxed("ftyp", []byte(isom)), append([]byte("\x00\x00\x00\x01moov\x00\x00\x00\x00\x00\x00\x00\x60"), handled("soun")...)...))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x16\x54\xae\x6b\x85\xae\x83\x83\x81\x02"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x8a\x16\x54\xae\x6b\x01\x00\x00\x00\x00\x00\x00\x05\xae\x83\x83\x81\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, tracks := range []func(io.ReaderAt, int64) (Tracks, bool){MP4, Matroska} {
			r := &reads{Reader: bytes.NewReader(b)}
			if found, ok := tracks(r, int64(len(b))); r.n > 2*MaxParts {
				t.Errorf("%+v, %v after %d reads", found, ok, r.n)
			}
		}
	})
}
