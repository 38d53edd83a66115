// Package redis keeps state on Redis 7 or newer, on Valkey, or on a compatible server: a single
// server, one that Sentinel watches, or a cluster.
//
// Further guarantees:
//   - All keys of a group, and their index, have the same hash tag. So they are in one slot of a
//     cluster, and change in one transaction.
//   - PutOnce and Append mark what they write, so that the client recognises its own first
//     attempt after a broken connection: PutOnce does not mistake its own value for another's,
//     and Append does not add it twice.
//   - What survives a crash of the server depends on its settings. With appendonly on and
//     appendfsync everysec, as in deployments/, it loses at most the last second or two. A replica
//     that takes over loses what had not reached it. Nothing else is lost, so the server must
//     not evict: Check rejects one that would.
//   - Deleted data is gone from the server's memory. Its append-only file and snapshots contain
//     it until the server rewrites them.
//
// A value is a string under PREFIX{GROUP}/REST: 16 bytes of mark, then the value. A list is a
// hash under such a key: n is its length, 0, 1, 2 … are its values, and "t" with a mark is the
// position of the value with this mark. PREFIX{GROUP} is the index, a set of the RESTs, some of
// which may have expired. Hints use the channels PREFIX TOPIC.
package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/agent/sleep"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
)

// Config configures a State.
type Config struct {
	// Client is for one server, Sentinels or a cluster. Its owner closes it after everything that
	// uses it.
	Client goredis.UniversalClient
	// Prefix is put before every key and channel, so that a server can be shared; empty means
	// "atelier:". It must not contain braces.
	Prefix string
}

// State stores state on a Redis server.
type State struct {
	client goredis.UniversalClient
	prefix string
	wait   func(ctx context.Context, d time.Duration) error
}

var (
	_ storage.State   = (*State)(nil)
	_ storage.Checker = (*State)(nil)
)

// New returns a State that uses the given client. It does not connect.
func New(c Config) (*State, error) {
	if c.Client == nil {
		return nil, errors.New("a client is required")
	}
	if strings.ContainsAny(c.Prefix, "{}") {
		return nil, &storage.Fault{Sentence: fmt.Sprintf("The prefix of the keys on Redis is %q: it must not contain braces.", c.Prefix)}
	}
	if c.Prefix == "" {
		c.Prefix = "atelier:"
	}
	return &State{client: c.Client, prefix: c.Prefix, wait: sleep.For}, nil
}

// Get returns a value.
func (s *State) Get(ctx context.Context, key string) ([]byte, error) {
	if err := storage.CheckStateKey(key); err != nil {
		return nil, err
	}
	value, err := again(ctx, func() ([]byte, error) { return s.client.Get(ctx, s.place(key).key).Bytes() })
	switch {
	case errors.Is(err, goredis.Nil):
		return nil, fmt.Errorf("get %s: %w", key, storage.ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", key, sort(ctx, err))
	case len(value) < markSize:
		return nil, fmt.Errorf("get %s: not written by this program", key)
	}
	return value[markSize:], nil
}

// Delete removes a value or a list.
func (s *State) Delete(ctx context.Context, key string) error {
	if err := storage.CheckStateKey(key); err != nil {
		return err
	}
	p := s.place(key)
	_, err := again(ctx, func() ([]goredis.Cmder, error) {
		done, err := s.client.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
			tx.Unlink(ctx, p.key)
			tx.SRem(ctx, p.index, p.rest)
			return nil
		})
		return done, cause(done, err)
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, sort(ctx, err))
	}
	return nil
}

// place is the location of a key.
type place struct {
	key, index string
	rest       string // its name in the index
}

func (s *State) place(key string) place {
	group := storage.Group(key)
	index := s.index(group)
	rest := key[len(group):]
	return place{key: index + rest, index: index, rest: rest}
}

func (s *State) index(group string) string { return s.prefix + "{" + group + "}" }

// markSize is the length of the mark before a value in bytes.
const markSize = 16
