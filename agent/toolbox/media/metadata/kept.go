package metadata

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// kept is what a file is put together of anew.
type kept struct {
	size   int64 // of the file that it is taken from
	pieces []piece
}

// piece is a part of the file, or what stands in its place.
type piece struct {
	at, n int64  // of the file
	put   []byte // in place of it, where it is not nil
	blank bool   // zeros in place of it
}

// keep keeps what lies from one place to another.
func (k *kept) keep(from, to int64) {
	if n := len(k.pieces); n > 0 && k.pieces[n-1].put == nil && !k.pieces[n-1].blank && k.pieces[n-1].at+k.pieces[n-1].n == from {
		k.pieces[n-1].n += to - from
		return
	}
	if to > from {
		k.pieces = append(k.pieces, piece{at: from, n: to - from})
	}
}

// put puts in what was not in the file.
func (k *kept) put(b []byte) { k.pieces = append(k.pieces, piece{put: b}) }

// blank puts zeros in place of what lies there.
func (k *kept) blank(from, to int64) {
	k.pieces = append(k.pieces, piece{at: from, n: to - from, blank: true})
}

// all takes the file as it is.
func (k *kept) all() { k.pieces = []piece{{n: k.size}} }

// all is a file of that size as it is.
func all(size int64) *kept { return &kept{size, []piece{{n: size}}} }

// whole reports whether it is the file as it is.
func (k *kept) whole() bool {
	return len(k.pieces) == 1 && k.pieces[0].put == nil && !k.pieces[0].blank && k.pieces[0].n == k.size
}

// length is how many bytes it comes to.
func (k *kept) length() int64 {
	var n int64
	for _, p := range k.pieces {
		n += p.n + int64(len(p.put))
	}
	return n
}

func (k *kept) write(ctx context.Context, to io.Writer, from io.ReaderAt) error {
	for _, p := range k.pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case p.put != nil:
			_, err = to.Write(p.put)
		case p.blank:
			_, err = io.CopyN(to, zeros{}, p.n)
		default:
			_, err = io.Copy(to, io.NewSectionReader(from, p.at, p.n))
		}
		if err != nil {
			return fmt.Errorf("write what is kept: %w", err)
		}
	}
	return nil
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// source is a file that is looked into.
type source struct {
	io.ReaderAt

	size int64
}

// picture hands over the whole file: a picture is read whole by whatever decodes it.
func (s source) picture(look func(b []byte)) error {
	b, err := s.bytes(0, s.size)
	if err == nil {
		look(b)
	}
	return err
}

// bytes reads n bytes from a place, less where the file ends before.
func (s source) bytes(at, n int64) ([]byte, error) {
	if at < 0 || at > s.size {
		return nil, nil
	}
	b := make([]byte, min(n, s.size-at))
	_, err := io.ReadFull(io.NewSectionReader(s, at, int64(len(b))), b)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return b, nil
}

// patch is other bytes, of the same number, for those of the file from a place on.
type patch struct {
	at  int64
	put []byte
}

// patched keeps the whole file but for the patches.
func (k *kept) patched(patches []patch) {
	slices.SortFunc(patches, func(a, b patch) int { return int(a.at - b.at) })
	var at int64
	for _, p := range patches {
		k.keep(at, p.at)
		k.put(p.put)
		at = p.at + int64(len(p.put))
	}
	k.keep(at, k.size)
}
