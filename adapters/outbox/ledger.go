// Package outbox keeps what was posted under a key, so that an adapter's Send posts once,
// whichever process calls it and however often.
//
// It is written before a part of a reply is posted and after: who sends under the key again
// knows which parts stand there, and which one may. Only for that one the platform must be
// asked, or be relied on to tell a repetition.
//
// Two processes that send under one key at the same time are not told apart.
package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atelier/adapters"
)

// kept is how long it is known what was posted: longer than anything is tried again.
const kept = 7 * 24 * time.Hour

// State keeps small values by key.
type State interface {
	// Get reads a value. It fails with [adapters.ErrGone] where there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put writes a value in the place of what was there, for at least that time.
	Put(ctx context.Context, key string, value []byte, expiry time.Duration) error
}

// Ledger knows what was posted.
type Ledger struct{ state State }

// New makes a ledger.
func New(s State) (*Ledger, error) {
	if s == nil {
		return nil, errors.New("ledger: State is required")
	}
	return &Ledger{s}, nil
}

// Entry is what was posted under one key. It is for one goroutine.
type Entry struct {
	// Ref is where it stands: the first part's message, and those of the others. It is zero
	// where nothing is known to stand.
	Ref adapters.MessageRef `json:"ref,omitzero"`
	// Begun is how many parts were begun to be posted.
	Begun int `json:"begun"`
	// Done tells that all of it stands there.
	Done bool `json:"done,omitempty"`

	state State
	key   string
}

// Open reads what was posted under a key by an adapter of that name.
func (l *Ledger) Open(ctx context.Context, adapter, key string) (*Entry, error) {
	sum := sha256.Sum256([]byte(adapter + "\x00" + key))
	e := &Entry{state: l.state, key: "posted-" + hex.EncodeToString(sum[:]) + "/entry"}
	b, err := l.state.Get(ctx, e.key)
	if errors.Is(err, adapters.ErrGone) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(b, e)
	}
	if err != nil {
		return nil, fmt.Errorf("read the posted messages: %w", err)
	}
	return e, nil
}

// Parts returns how many parts are known to stand there.
func (e *Entry) Parts() int {
	if e.Ref.IsZero() {
		return 0
	}
	return 1 + len(e.Ref.Parts)
}

// Doubtful tells that the part after those that stand there may stand there too: it was
// begun, and whether it was posted is not known.
func (e *Entry) Doubtful() bool { return e.Begun > e.Parts() }

// Begin notes that the next part is about to be posted.
func (e *Entry) Begin(ctx context.Context) error {
	e.Begun = e.Parts() + 1
	return e.write(ctx)
}

// Posted notes that the part that was begun stands there. The address is that of its message
// alone; all parts are in one channel.
func (e *Entry) Posted(ctx context.Context, at adapters.MessageRef) error {
	if e.Ref.IsZero() {
		e.Ref = at
	} else {
		e.Ref.Parts = append(e.Ref.Parts, at.ID)
	}
	return e.write(ctx)
}

// PostedAll notes that the part that was begun stands there, and that it is all there is.
func (e *Entry) PostedAll(ctx context.Context, at adapters.MessageRef) error {
	e.Done = true
	return e.Posted(ctx, at)
}

// Refused notes that the platform has refused the part that was begun: it does not stand
// there.
func (e *Entry) Refused(ctx context.Context) error {
	e.Begun = e.Parts()
	return e.write(ctx)
}

// Finish notes that all of it stands there.
func (e *Entry) Finish(ctx context.Context) error {
	e.Done = true
	return e.write(ctx)
}

func (e *Entry) write(ctx context.Context) error {
	b, err := json.Marshal(e)
	if err == nil {
		err = e.state.Put(ctx, e.key, b, kept)
	}
	if err != nil {
		return fmt.Errorf("record a posted message: %w", err)
	}
	return nil
}
