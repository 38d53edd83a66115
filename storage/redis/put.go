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

// PutOnce writes a value where there is none.
func (s *State) PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (bool, error) {
	mark := make([]byte, markSize)
	_, _ = rand.Read(mark)
	stood, err := s.put(ctx, putting{key, mark, value, expiry, "NX"})
	return err == nil && (stood == "" || strings.HasPrefix(stood, string(mark))), err
}

// putting is a value that is to be written.
type putting struct {
	key    string
	mark   []byte
	value  []byte // with the mark before it, in the end
	expiry time.Duration
	mode   string // "NX" where another value may stand in the way
}

// put writes a value and notes its key in the index. With a mode it gives what stood
// there and stands still, or the beginning of that.
func (s *State) put(ctx context.Context, p putting) (stood string, err error) {
	if err := check(p.key, p.value, p.expiry); err != nil {
		return "", err
	}
	p.expiry = milliseconds(p.expiry)
	p.value = slices.Concat(p.mark, p.value)
	// A server within the process is reached by a pipe without a buffer, where a
	// transaction that does not fit into one reading of its own hangs: it answers the
	// first command while the client still writes the last. So larger values go by a
	// script. Smaller ones do not, since such a server takes ten times as long for it.
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
	if err != nil && !errors.Is(err, goredis.Nil) { // which means that nothing stood there
		return "", cause(done, err)
	}
	return set.Val(), nil
}

// cause is why a transaction has failed: where it was discarded, the first of its
// commands that was refused tells.
func cause(done []goredis.Cmder, err error) error {
	for _, cmd := range done {
		if goredis.IsExecAbortError(err) && cmd.Err() != nil {
			err = cmd.Err()
		}
	}
	return err
}

// putScript does what the transaction does.
//
// KEYS: the value's, and the index. ARGV: the marked value, what the index calls it, how
// long the index lasts at least and how long the value does in milliseconds, and the mode.
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
	return putScript.Run(ctx, s.client, []string{at.key, at.index}, //nolint:wrapcheck // it is sorted by who asked
		p.value, at.rest, lasting(p.expiry), p.expiry.Milliseconds(), p.mode).Text()
}

func check(key string, value []byte, expiry time.Duration) error {
	if err := storage.CheckStateKey(key); err != nil {
		return err
	}
	if len(value) > storage.MaxValue {
		return fmt.Errorf("put %s: %w: it has %d bytes, at most %d are taken", key, storage.ErrTooLarge, len(value), storage.MaxValue)
	}
	if expiry < 0 {
		return fmt.Errorf("put %s: the expiry %v is negative", key, expiry)
	}
	return nil
}

// milliseconds rounds an expiry up to what Redis can count.
func milliseconds(expiry time.Duration) time.Duration {
	if rest := expiry % time.Millisecond; rest > 0 {
		expiry += time.Millisecond - rest
	}
	return expiry
}

// lasting is an expiry in milliseconds, and a century for what never expires: Redis has
// no word for "extend it unless it lasts for ever already" that can also begin a life.
func lasting(expiry time.Duration) int64 {
	const ever = 100 * 365 * 24 * time.Hour
	if expiry == 0 {
		expiry = ever
	}
	return milliseconds(expiry).Milliseconds()
}
