package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
)

// Put writes a value.
func (s *State) Put(ctx context.Context, key string, value []byte, expiry time.Duration) error {
	_, err := s.put(ctx, putting{key, make([]byte, markSize), value, expiry, ""})
	return err
}

// PutOnce writes a value if there is none.
func (s *State) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	mark := make([]byte, markSize)
	_, _ = rand.Read(mark)
	stood, err := s.put(ctx, putting{key, mark, value, expiry, "NX"})
	return err == nil && (stood == "" || strings.HasPrefix(stood, string(mark))), err
}

// putting describes a value to write.
type putting struct {
	key    string
	mark   []byte
	value  []byte // finally with the mark in front
	expiry time.Duration
	mode   string // "NX" if an existing value must not be replaced
}

// put writes a value and adds its key to the index. With a mode it returns the existing value that
// was not replaced, or the beginning of it.
func (s *State) put(ctx context.Context, p putting) (stood string, err error) {
	if err := check(p.key, p.value, p.expiry); err != nil {
		return "", err
	}
	p.expiry = milliseconds(p.expiry)
	p.value = slices.Concat(p.mark, p.value)
	// The embedded server's pipe may be unbuffered: a transaction larger than one read would hang,
	// since the server answers the first command while the client still writes the last. So larger
	// values use a script. Smaller ones do not, since the embedded server takes ten times as long
	// for a script.
	write := s.putByTransaction
	if len(p.key)*4+len(p.value) > 2<<10 {
		write = s.putByScript
	}
	stood, err = again(ctx, func() (string, error) { return write(ctx, p, s.place(p.key)) })
	if err != nil {
		return "", fmt.Errorf("put %s: %w", p.key, sort(ctx, err))
	}
	return stood, nil
}

func (s *State) putByTransaction(ctx context.Context, p putting, at place) (string, error) {
	var set *goredis.StatusCmd
	done, err := s.client.TxPipelined(ctx, func(tx goredis.Pipeliner) error {
		tx.SAdd(ctx, at.index, at.rest)
		tx.Do(ctx, "pexpire", at.index, lasting(p.expiry), "nx")
		tx.Do(ctx, "pexpire", at.index, lasting(p.expiry), "gt")
		set = tx.SetArgs(ctx, at.key, p.value, goredis.SetArgs{TTL: p.expiry, Mode: p.mode, Get: p.mode != ""})
		return nil
	})
	if err != nil && !errors.Is(err, goredis.Nil) { // Nil means that there was no value
		return "", cause(done, err)
	}
	return set.Val(), nil
}

// cause returns why a transaction failed: if it was discarded, the error of the first rejected
// command.
func cause(done []goredis.Cmder, err error) error {
	for _, cmd := range done {
		if goredis.IsExecAbortError(err) && cmd.Err() != nil {
			err = cmd.Err()
		}
	}
	return err
}

// putScript does the same as the transaction.
//
// KEYS: the value's, and the index. ARGV: the marked value, its name in the index, the minimum
// expiry of the index and the expiry of the value in milliseconds, and the mode.
var putScript = goredis.NewScript(`
if ARGV[5] == 'NX' then
	local stood = redis.call('GETRANGE', KEYS[1], 0, 15)
	if stood ~= '' then return stood end
end
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3], 'NX')
redis.call('PEXPIRE', KEYS[2], ARGV[3], 'GT')
if ARGV[4] == '0' then
	redis.call('SET', KEYS[1], ARGV[1])
else
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
end
return ''
`)

func (s *State) putByScript(ctx context.Context, p putting, at place) (string, error) {
	return putScript.Run(ctx, s.client, []string{at.key, at.index}, //nolint:wrapcheck // the caller sorts it
		p.value, at.rest, lasting(p.expiry), p.expiry.Milliseconds(), p.mode).Text()
}

func check(key string, value []byte, expiry time.Duration) error {
	if err := storage.CheckStateKey(key); err != nil {
		return err
	}
	if len(value) > storage.MaxValue {
		return fmt.Errorf("put %s: %w: %d bytes, the limit is %d", key, storage.ErrTooLarge, len(value), storage.MaxValue)
	}
	if expiry < 0 {
		return fmt.Errorf("put %s: the expiry must not be negative: %v", key, expiry)
	}
	return nil
}

// milliseconds rounds an expiry up to Redis's precision.
func milliseconds(expiry time.Duration) time.Duration {
	if rest := expiry % time.Millisecond; rest > 0 {
		expiry += time.Millisecond - rest
	}
	return expiry
}

// lasting returns an expiry in milliseconds, and a century for no expiry: Redis has no command for
// "extend it unless it never expires" that also works for a new key.
func lasting(expiry time.Duration) int64 {
	const ever = 100 * 365 * 24 * time.Hour
	if expiry == 0 {
		expiry = ever
	}
	return milliseconds(expiry).Milliseconds()
}
