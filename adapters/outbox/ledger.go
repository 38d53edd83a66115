// Package outbox records what was posted under a key, so that an adapter's Send posts only once, whichever process
// calls it and however often.
//
// A record is written before and after each part of a reply. A later Send under the key thus knows which parts were
// posted, and which one may have been. Only for that part must the platform be asked, or recognise a
// repetition.
//
// It does not detect two processes that send under one key at the same time.
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

// kept is how long records are kept: longer than anything is retried.
const kept = 7 * 24 * time.Hour

// State stores small values by key.
type State interface {
	// Get reads a value. Missing values give [adapters.ErrGone].
	Get(ctx context.Context, key string) ([]byte, error)
	// Put replaces a value, and keeps it for at least expiry.
	Put(ctx context.Context, key string, value []byte, expiry time.Duration) error
}

// Ledger records what was posted.
type Ledger struct{ state State }

// New returns a ledger.
func New(s State) (*Ledger, error) {
	if s == nil {
		return nil, errors.New("ledger: State is required")
	}
	return &Ledger{s}, nil
}

// Entry is the record of one key. It is not safe for concurrent use.
type Entry struct {
	// Ref is the message of the first part, with those of the other parts. It is zero if none is known to be posted.
	Ref adapters.MessageRef `json:"ref,omitzero"`
	// Begun is the number of parts whose posting was started.
	Begun int `json:"begun"`
	// Done means that all parts were posted.
	Done bool `json:"done,omitempty"`

	state State
	key   string
}

// Open reads the record of an adapter's key.
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

// Parts returns the number of parts that are known to be posted.
func (e *Entry) Parts() int {
	if e.Ref.IsZero() {
		return 0
	}
	return 1 + len(e.Ref.Parts)
}

// Doubtful reports whether it is unknown if the next part was posted: it was started, but not confirmed.
func (e *Entry) Doubtful() bool { return e.Begun > e.Parts() }

// Begin records that the next part is about to be posted.
func (e *Entry) Begin(ctx context.Context) error {
	e.Begun = e.Parts() + 1
	return e.write(ctx)
}

// Posted records that the started part was posted as the message at. All parts are in one channel.
func (e *Entry) Posted(ctx context.Context, at adapters.MessageRef) error {
	if e.Ref.IsZero() {
		e.Ref = at
	} else {
		e.Ref.Parts = append(e.Ref.Parts, at.ID)
	}
	return e.write(ctx)
}

// PostedAll records that the started part was posted, and was the last one.
func (e *Entry) PostedAll(ctx context.Context, at adapters.MessageRef) error {
	e.Done = true
	return e.Posted(ctx, at)
}

// Refused records that the platform rejected the started part, so it was not posted.
func (e *Entry) Refused(ctx context.Context) error {
	e.Begun = e.Parts()
	return e.write(ctx)
}

// Finish records that all parts were posted.
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
