package metadata

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// kept lists the pieces of which the new file consists.
type kept struct {
	size   int64 // size of the original file
	pieces []piece
}

// piece is a part of the original file, or its replacement.
type piece struct {
	at, n int64  // position and length in the original file
	put   []byte // replacement, unless nil
	blank bool   // whether to replace it by zeros
}

// keep keeps the bytes between two positions.
func (k *kept) keep(from, to int64) {
	if n := len(k.pieces); n > 0 && k.pieces[n-1].put == nil && !k.pieces[n-1].blank && k.pieces[n-1].at+k.pieces[n-1].n == from {
		k.pieces[n-1].n += to - from
		return
	}
	if to > from {
		k.pieces = append(k.pieces, piece{at: from, n: to - from})
	}
}

// put inserts new bytes.
func (k *kept) put(b []byte) { k.pieces = append(k.pieces, piece{put: b}) }

// blank replaces the bytes between two positions by zeros.
func (k *kept) blank(from, to int64) {
	k.pieces = append(k.pieces, piece{at: from, n: to - from, blank: true})
}

// all keeps the file unchanged.
func (k *kept) all() { k.pieces = []piece{{n: k.size}} }

// all returns an unchanged file of that size.
func all(size int64) *kept { return &kept{size, []piece{{n: size}}} }

// whole reports whether the file is unchanged.
func (k *kept) whole() bool {
	return len(k.pieces) == 1 && k.pieces[0].put == nil && !k.pieces[0].blank && k.pieces[0].n == k.size
}

// length returns the length of the new file.
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
			return fmt.Errorf("write without metadata: %w", err)
		}
	}
	return nil
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// source is the original file.
type source struct {
	io.ReaderAt

	size int64
}

// picture reads the whole file for look: decoding a picture needs all of it anyway.
func (s source) picture(look func(b []byte)) error {
	b, err := s.bytes(0, s.size)
	if err == nil {
		look(b)
	}
	return err
}

// bytes reads up to n bytes at a position, fewer at the end of the file.
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

// patch replaces bytes of the file by others of the same length.
type patch struct {
	at  int64
	put []byte
}

// patched keeps the file except for the patches.
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
