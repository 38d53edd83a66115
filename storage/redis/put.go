package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// Append adds a value to a list.
func (s *State) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := storage.CheckValue(key, value, expiry); err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, err)
	}
	p := s.place(key)
	mark, value := rand.Text(), slices.Clone(value)
	at, err := again(ctx, func() (int64, error) {
		return appending.Run(ctx, s.client, []string{p.key, p.index}, mark, value, lasting(expiry), p.rest).Int64()
	})
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", key, sort(ctx, err))
	}
	return at, nil
}

// Read returns the values of a list.
func (s *State) Read(ctx context.Context, key string, from int64) ([][]byte, error) {
	if err := storage.CheckStateKey(key); err != nil {
		return nil, err
	}
	if from < 0 {
		return nil, fmt.Errorf("read %s: the position %d is negative", key, from)
	}
	p := s.place(key)
	var all [][]byte
	for {
		fields := make([]string, page)
		for i := range fields {
			fields[i] = strconv.FormatInt(from+int64(len(all)+i), 10)
		}
		values, err := again(ctx, func() ([]any, error) { return s.client.HMGet(ctx, p.key, fields...).Result() })
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", key, sort(ctx, err))
		}
		for _, v := range values {
			value, ok := v.(string)
			if !ok { // the end of the list
				return all, nil
			}
			all = append(all, []byte(value))
		}
	}
}

// Keys returns the keys of a group.
func (s *State) Keys(ctx context.Context, group string) ([]string, error) {
	if err := storage.CheckGroup(group); err != nil {
		return nil, err
	}
	rests, err := again(ctx, func() ([]string, error) { return listing.Run(ctx, s.client, []string{s.index(group)}).StringSlice() })
	if err != nil {
		return nil, fmt.Errorf("list the keys of %s: %w", group, sort(ctx, err))
	}
	keys := make([]string, len(rests))
	for i, rest := range rests {
		keys[i] = group + rest
	}
	slices.SortFunc(keys, strings.Compare)
	return keys, nil
}

// DeleteAll removes a group.
func (s *State) DeleteAll(ctx context.Context, group string) error {
	if err := storage.CheckGroup(group); err != nil {
		return err
	}
	_, err := again(ctx, func() (any, error) { return clearing.Run(ctx, s.client, []string{s.index(group)}).Result() })
	if err != nil {
		return fmt.Errorf("delete everything of %s: %w", group, sort(ctx, err))
	}
	return nil
}

// put writes a value and adds its key to the index. With a mode it returns the existing value that
// was not replaced, or the beginning of it.
func (s *State) put(ctx context.Context, p putting) (stood string, err error) {
	if err := storage.CheckValue(p.key, p.value, p.expiry); err != nil {
		return "", fmt.Errorf("put %s: %w", p.key, err)
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

// appending adds a value to a list, unless it was already added with the same mark.
//
// KEYS: the list, its group's index. ARGV: the mark, the value, the list's expiry in milliseconds,
// and the list's name in the index.
var appending = goredis.NewScript(`
local at = redis.call('HGET', KEYS[1], 't' .. ARGV[1])
if at then return tonumber(at) end
redis.call('SADD', KEYS[2], ARGV[4])
at = redis.call('HINCRBY', KEYS[1], 'n', 1) - 1
redis.call('HSET', KEYS[1], at, ARGV[2], 't' .. ARGV[1], at)
for _, key in ipairs(KEYS) do
	redis.call('PEXPIRE', key, ARGV[3], 'NX')
	redis.call('PEXPIRE', key, ARGV[3], 'GT')
end
return at
`)

// page is the number of values read at a time: few enough not to block the server.
const page = 64

// listing returns the index of a group and removes expired keys from it. Like the other scripts it
// accesses keys that are not in KEYS; they are in the same slot as the index.
//
// KEYS: the index.
var listing = goredis.NewScript(`
local there = {}
for _, rest in ipairs(redis.call('SMEMBERS', KEYS[1])) do
	if redis.call('EXISTS', KEYS[1] .. rest) == 1 then
		there[#there + 1] = rest
	else
		redis.call('SREM', KEYS[1], rest)
	end
end
return there
`)

// clearing removes a group and its index.
//
// KEYS: the index.
var clearing = goredis.NewScript(`
for _, rest in ipairs(redis.call('SMEMBERS', KEYS[1])) do
	redis.call('UNLINK', KEYS[1] .. rest)
end
redis.call('DEL', KEYS[1])
return 0
`)
