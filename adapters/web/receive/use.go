package receive

import (
	"context"
	"errors"
	"net/http"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/media"
	"atelier/adapters/web/request"
)

// use returns a file of an answer for a message that works on it. A picture gets its size, so that it can be
// marked.
func (rec *Receiver) use(ctx context.Context, t chat.Snapshot, ref string) (chat.Upload, error) {
	f, ok := t.Use(ref)
	if !ok {
		return chat.Upload{}, errFileGone
	}
	found, err := rec.Media.Look(ctx, f.Key, f.Name, "")
	if fault, ok := errors.AsType[*adapters.Fault](err); ok && adapters.Final(err) {
		return chat.Upload{}, request.Refuse(http.StatusUnsupportedMediaType, "%s", fault.Text())
	}
	switch {
	case errors.Is(err, adapters.ErrGone):
		return chat.Upload{}, errFileGone
	case err != nil:
		return chat.Upload{}, err
	}
	if media.KindOf(f.Type, false) == media.KindImage {
		f.Width, f.Height = found.Width, found.Height
	}
	return f, nil
}
