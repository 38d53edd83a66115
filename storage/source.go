package storage

import (
	"context"
	"errors"
	"io"
)

// Source is the content of a blob, for implementations: it stops when the context ends, and
// separates errors of the reader from errors of the storage.
type Source struct {
	ctx context.Context //nolint:containedctx // it lives only as long as the read
	r   io.Reader
	err error
}

// NewSource reads r until ctx ends.
func NewSource(ctx context.Context, r io.Reader) *Source { return &Source{ctx: ctx, r: r} }

func (s *Source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err //nolint:wrapcheck // io.EOF must not be wrapped
}

// Err returns the error of the reader or of ctx; nil if there is none.
func (s *Source) Err() error { return s.err }
