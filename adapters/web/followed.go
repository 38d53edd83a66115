package web

import (
	"bytes"
	"context"
)

// followed is a list of State that is read on.
type followed struct {
	next int64  // how many entries were read
	tail []byte // the last one: by it a list is known that began anew
}

// read gives the entries that came since; anew tells that the list was forgotten, and that
// they are all there are. The last entry that is known is read again: where it is another
// one, the list is.
func (f *followed) read(ctx context.Context, state State, key string) (raw [][]byte, anew bool, err error) {
	raw, err = state.Read(ctx, key, max(0, f.next-1))
	switch {
	case err != nil:
		return nil, false, err
	case f.next > 0 && len(raw) > 0 && bytes.Equal(raw[0], f.tail):
		raw = raw[1:]
	case f.next > 0:
		if raw, err = state.Read(ctx, key, 0); err != nil {
			return nil, false, err
		}
		*f, anew = followed{}, true
	}
	if len(raw) > 0 {
		f.next += int64(len(raw))
		f.tail = raw[len(raw)-1]
	}
	return raw, anew, nil
}
