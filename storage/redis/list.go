package redis

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
)

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

// Append adds a value to a list.
func (s *State) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	if err := check(key, value, expiry); err != nil {
		return 0, err
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

// page is the number of values read at a time: few enough not to block the server.
const page = 64

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
