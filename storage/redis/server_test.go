package redis_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/storage"
	"atelier/storage/redis"
	"atelier/storage/redis/redistest"
	"atelier/storage/storagetest"
)

// TestRealState runs the contract suite on the server that TEST_REDIS_URL names.
func TestRealState(t *testing.T) {
	t.Parallel()
	at := os.Getenv("TEST_REDIS_URL")
	if at == "" {
		t.Skip("the contract was not run on a real server: TEST_REDIS_URL names none")
	}
	options, err := goredis.ParseURL(at)
	if err != nil {
		t.Fatal("TEST_REDIS_URL is no address of a Redis server") // the error would show the password
	}
	c := client(t, options)
	contract(t, c)
}

// contract runs the suite on real servers, which use their own clock.
func contract(t *testing.T, c goredis.UniversalClient) {
	t.Helper()
	var prefixes sync.Map // by their state
	storagetest.State(t, storagetest.StateMake{
		Open: func(t *testing.T) storage.State {
			t.Helper()
			prefix := "test-" + rand.Text() + ":"
			t.Cleanup(func() { sweep(t, c, prefix) })
			s := open(t, redis.Config{Client: c, Prefix: prefix})
			prefixes.Store(s, prefix)
			return s
		},
		Holds: func(t *testing.T, s storage.State) string {
			t.Helper()
			prefix, _ := prefixes.Load(s)
			return redistest.Holds(t, c, prefix.(string)) //nolint:errcheck,forcetypeassert // nothing else is in there
		},
		Pass: func(t *testing.T, _ storage.State, d time.Duration) {
			t.Helper()
			// The server reports when that much time has passed.
			err := c.Do(t.Context(), "blpop", "nothing-"+rand.Text(), d.Seconds()).Err()
			if !errors.Is(err, goredis.Nil) {
				t.Fatal(err)
			}
		},
	})
}

// sweep removes what a test has left on a server that others use, too.
func sweep(t *testing.T, c goredis.UniversalClient, prefix string) {
	t.Helper()
	ctx := context.Background() // that of the test has ended
	remove := func(ctx context.Context, c *goredis.Client) error {
		keys := c.Scan(ctx, 0, prefix+"*", 1000).Iterator()
		for keys.Next(ctx) {
			if err := c.Unlink(ctx, keys.Val()).Err(); err != nil {
				return err
			}
		}
		return keys.Err()
	}
	var err error
	switch c := c.(type) {
	case *goredis.ClusterClient:
		err = c.ForEachMaster(ctx, remove)
	case *goredis.Client:
		err = remove(ctx, c)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestFullServer(t *testing.T) {
	t.Parallel()
	s := redistest.Serve(t, "--save", "", "--maxmemory", "8mb", "--maxmemory-policy", "noeviction")
	c := client(t, &goredis.Options{Addr: s.Address()})
	state := open(t, redis.Config{Client: c})
	if err := state.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	large, kept := []byte(strings.Repeat("x", 100_000)), 0
	for ; ; kept++ {
		err := state.Put(t.Context(), fmt.Sprintf("r/%d", kept), large, time.Hour)
		if errors.Is(err, storage.ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	limit := func(bytes string) { // so that there is no room for what is small either
		if err := c.ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit("1")
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"put":          func() error { return state.Put(ctx, "full/small", []byte("x"), 0) },
		"put large":    func() error { return state.Put(ctx, "full/large", large, 0) },
		"put once":     func() error { _, err := state.PutOnce(ctx, "full/once", []byte("x"), 0); return err },
		"append":       func() error { _, err := state.Append(ctx, "full/list", []byte("x"), 0); return err },
		"append large": func() error { _, err := state.Append(ctx, "full/list", large, 0); return err },
		"check":        func() error { return state.Check(ctx) },
	} {
		if err := do(); !errors.Is(err, storage.ErrFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if keys, err := state.Keys(ctx, "full"); err != nil || len(keys) != 0 {
		t.Errorf("half of it was done: %v, %v", keys, err)
	}
	for i := range kept {
		if got, err := state.Get(ctx, fmt.Sprintf("r/%d", i)); err != nil || len(got) != len(large) {
			t.Errorf("what was kept is lost: %v", err)
		}
	}
	if err := state.DeleteAll(ctx, "r"); err != nil {
		t.Fatal(err)
	}
	limit("8mb")
	if err := state.Check(ctx); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestEvictingServer(t *testing.T) {
	t.Parallel()
	s := redistest.Serve(t, "--save", "", "--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru")
	c := client(t, &goredis.Options{Addr: s.Address()})
	err := open(t, redis.Config{Client: c}).Check(t.Context())
	if fault, ok := errors.AsType[*storage.Fault](err); !ok || !errors.Is(err, storage.ErrUnfit) || !strings.Contains(fault.Sentence, "noeviction") {
		t.Errorf("the check: %v", err)
	}
}

// TestServerKilledUnderLoad checks that a server that is killed and comes back has kept all that it acknowledged,
// and that nothing is done twice.
func TestServerKilledUnderLoad(t *testing.T) {
	t.Parallel()
	s := redistest.Serve(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	c := client(t, &goredis.Options{Addr: s.Address()})
	state := open(t, redis.Config{Client: c})
	type done struct {
		puts, wins []string
		at         map[int64]string
	}
	const workers, rounds = 8, 400
	all := make([]done, workers)
	var killed, running sync.WaitGroup
	progress := make(chan struct{}, workers*rounds)
	for w := range workers {
		running.Go(func() {
			d := done{at: map[int64]string{}}
			for i := range rounds {
				mine := fmt.Sprintf("%d-%d", w, i)
				try(t, func(bool) error { return state.Put(t.Context(), "load/put-"+mine, []byte(mine), 0) })
				d.puts = append(d.puts, mine)
				key := fmt.Sprintf("load/once-%d", i)
				try(t, func(again bool) error {
					first, err := state.PutOnce(t.Context(), key, []byte(mine), 0)
					if again && err == nil && !first { // as the promise says, the value tells
						var stands []byte
						stands, err = state.Get(t.Context(), key)
						first = string(stands) == mine
					}
					if first {
						d.wins = append(d.wins, key+"="+mine)
					}
					return err
				})
				if at, err := state.Append(t.Context(), "load/list", []byte(mine), 0); err == nil {
					d.at[at] = mine
				}
				progress <- struct{}{}
			}
			all[w] = d
		})
	}
	killed.Go(func() {
		for range 3 {
			for range workers * rounds / 5 {
				<-progress
			}
			s.Kill()
			s.Start()
		}
	})
	running.Wait()
	killed.Wait()

	wins := map[string]string{}
	list, err := state.Read(t.Context(), "load/list", 0)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, value := range list {
		if times[string(value)]++; times[string(value)] > 1 {
			t.Errorf("%s was appended twice", value)
		}
	}
	for _, d := range all {
		for _, mine := range d.puts {
			if got, err := state.Get(t.Context(), "load/put-"+mine); err != nil || string(got) != mine {
				t.Errorf("put %s: %q, %v", mine, got, err)
			}
		}
		for _, win := range d.wins {
			key, mine, _ := strings.Cut(win, "=")
			if wins[key] != "" {
				t.Errorf("%s was won by %s and %s", key, wins[key], mine)
			}
			wins[key] = mine
			if got, err := state.Get(t.Context(), key); err != nil || string(got) != mine {
				t.Errorf("%s was won by %s and holds %q, %v", key, mine, got, err)
			}
		}
		for at, mine := range d.at {
			if at >= int64(len(list)) || string(list[at]) != mine {
				t.Errorf("%s is not at %d", mine, at)
			}
		}
	}
	if len(wins) != rounds {
		t.Errorf("%d of %d were won", len(wins), rounds)
	}
}

// try repeats a call until the server is there.
func try(t *testing.T, do func(again bool) error) {
	t.Helper()
	for again := false; ; again = true {
		err := do(again)
		if err == nil {
			return
		}
		if !errors.Is(err, storage.ErrUnreachable) {
			t.Errorf("it failed otherwise: %v", err)
			return
		}
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	nodes := redistest.Cluster(t)
	c := goredis.NewClusterClient(&goredis.ClusterOptions{Addrs: nodes})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	state := open(t, redis.Config{Client: c})
	try(t, func(bool) error { return state.Check(t.Context()) }) // the nodes may not all have heard of it
	if err := open(t, redis.Config{Client: client(t, &goredis.Options{Addr: nodes[0]})}).Check(t.Context()); err != nil && !errors.Is(err, storage.ErrUnfit) {
		t.Errorf("one node for all: %v", err) // it may be the right one for the check
	}
	t.Run("contract", func(t *testing.T) { contract(t, c) })
	for _, at := range []string{"redis+cluster://" + strings.Join(nodes, ","), "redis://" + nodes[1] + "?cluster=true"} {
		use(t, at)
	}
}

// TestSentinel checks the contract, and that everything remains when another server takes over.
func TestSentinel(t *testing.T) {
	t.Parallel()
	primary := redistest.Serve(t, "--save", "")
	replica := redistest.Serve(t, "--save", "", "--replicaof", "127.0.0.1 "+strconv.Itoa(primary.Port()), "--repl-diskless-sync-delay", "0")
	sentinel := redistest.Sentinel(t, primary)
	c := goredis.NewFailoverClient(&goredis.FailoverOptions{MasterName: "atelier", SentinelAddrs: []string{sentinel.Address()}})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("contract", func(t *testing.T) { contract(t, c) })
	t.Run("failover", func(t *testing.T) { failover(t, c, sentinel, primary, replica) })
}

func failover(t *testing.T, c *goredis.Client, sentinel, primary, replica *redistest.Server) {
	t.Helper()
	asked := client(t, &goredis.Options{Addr: sentinel.Address()})
	for { // the Sentinel has found the replica
		known, err := asked.Info(t.Context(), "sentinel").Result()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(known, "slaves=1") {
			break
		}
	}
	state := open(t, redis.Config{Client: c})
	hints, err := state.Subscribe(t.Context(), "progress")
	if err != nil {
		t.Fatal(err)
	}
	if err := state.Put(t.Context(), "r/before", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	direct := open(t, redis.Config{Client: client(t, &goredis.Options{Addr: replica.Address()})})
	for errors.Is(found(t, direct, "r/before"), storage.ErrNotFound) { // until the replica has it
	}
	primary.Kill()
	try(t, func(bool) error { return state.Put(t.Context(), "r/after", []byte("y"), 0) })
	for hint := range hints {
		if hint == nil {
			break
		}
	}
	for key, value := range map[string]string{"r/before": "x", "r/after": "y"} {
		if got, err := direct.Get(t.Context(), key); err != nil || string(got) != value {
			t.Errorf("%s holds %q, %v", key, got, err)
		}
	}
}

func found(t *testing.T, s storage.State, key string) error {
	t.Helper()
	_, err := s.Get(t.Context(), key)
	return err
}
