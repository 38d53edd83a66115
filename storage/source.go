package storage

import (
	"context"
	"errors"
	"io"
)

// Source is what a Put reads, for its make: it ends when the context does, and keeps
// apart what was wrong with it from what is wrong with the storage.
type Source struct {
	ctx context.Context //nolint:containedctx // it lives as long as the one Put
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
	return n, err //nolint:wrapcheck // io.EOF must stay what it is
}

// Err is what the reading has failed with, the end of ctx included; nil if it has not.
func (s *Source) Err() error { return s.err }
