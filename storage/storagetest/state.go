package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"atelier/storage"
)

// StateMake describes an implementation of [storage.State] under test.
type StateMake struct {
	// Open returns an empty instance and closes it by t.Cleanup.
	Open func(t *testing.T) storage.State
	// Pass advances the storage's clock.
	Pass func(t *testing.T, s storage.State, d time.Duration)
	// Holds returns everything in the state's files or on its server.
	Holds func(t *testing.T, s storage.State) string
	// Bubble runs each check in a testing/synctest bubble, so that time passes at once. It is for storages in memory.
	Bubble bool
}

// State checks the guarantees of package storage.
func State(t *testing.T, m StateMake) {
	t.Helper()
	checks := map[string]func(*testing.T, StateMake){
		"values":         values,
		"the first wins": firstWins,
		"lists":          lists,
		"expiry":         expiry,
		"groups":         groups,
		"what is gone":   gone,
		"refusing":       refusingState,
		"hints":          hints,
		"at once":        atOnce,
	}
	if m.Bubble {
		for name, check := range checks {
			checks[name] = func(t *testing.T, m StateMake) {
				t.Helper()
				synctest.Test(t, func(t *testing.T) { check(t, m) })
			}
		}
	}
	run(t, m, checks)
}

func values(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	for key, value := range map[string]string{
		"r1/plan":           "a plan",
		"r1/act/1":          "",
		"Größe/ä ö/#%20&=+": "\x00\xff\r\n",
		"r1/large":          strings.Repeat("x", storage.MaxValue),
		"long/" + strings.Repeat("k", 200) + "/" + strings.Repeat("k", 200): "x",
	} {
		putState(t, s, key, "before", time.Hour)
		putState(t, s, key, value, 0)
		wantState(t, s, key, value)
	}
	absent(t, s, "r1/none")
	absent(t, s, "r2/plan")
	for range 2 {
		if err := s.Delete(t.Context(), "r1/plan"); err != nil {
			t.Errorf("delete: %v", err)
		}
		absent(t, s, "r1/plan")
	}
	wantState(t, s, "r1/act/1", "")
}

// sizes are value sizes that implementations may write in different ways.
var sizes = []string{"", strings.Repeat("x", 5_000), strings.Repeat("x", 500_000)}

func firstWins(t *testing.T, m StateMake) {
	t.Helper()
	for _, more := range sizes {
		firstWinsOf(t, m.Open(t), more)
	}
}

func firstWinsOf(t *testing.T, s storage.State, more string) {
	t.Helper()
	once := func(key, value string, want bool) {
		t.Helper()
		value += more
		if first, err := s.PutOnce(t.Context(), key, []byte(value), time.Hour); err != nil || first != want {
			t.Errorf("put %s once: %v, %v", value, first, err)
		}
	}
	once("r/result", "mine", true)
	once("r/result", "theirs", false)
	once("r/result", "mine", false)
	wantState(t, s, "r/result", "mine"+more)
	once("r/empty", "", true)
	once("r/empty", "x", false)
	wantState(t, s, "r/empty", ""+more)

	putState(t, s, "r/put", "x"+more, 0)
	once("r/put", "y", false)
	wantState(t, s, "r/put", "x"+more)
	if err := s.Delete(t.Context(), "r/result"); err != nil {
		t.Fatal(err)
	}
	once("r/result", "theirs", true)
	wantState(t, s, "r/result", "theirs"+more)
	putState(t, s, "r/result", "overwritten"+more, 0)
	wantState(t, s, "r/result", "overwritten"+more)
}

func lists(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	wantList(t, s, "t/turns", 0)
	var all []string
	for i := range 150 { // more than one page
		all = append(all, fmt.Sprintf("turn %d", i))
		add(t, s, "t/turns", all[i], int64(i))
	}
	wantList(t, s, "t/turns", 0, all...)
	wantList(t, s, "t/turns", 1, all[1:]...)
	wantList(t, s, "t/turns", 149, all[149:]...)
	wantList(t, s, "t/turns", 150)
	wantList(t, s, "t/turns", 1000)

	add(t, s, "t/others", "", 0)
	add(t, s, "t/others", "same", 1)
	add(t, s, "t/others", "same", 2)
	add(t, s, "t/others", strings.Repeat("x", storage.MaxValue), 3)
	wantList(t, s, "t/others", 0, "", "same", "same", strings.Repeat("x", storage.MaxValue))
	if err := s.Delete(t.Context(), "t/others"); err != nil {
		t.Fatal(err)
	}
	wantList(t, s, "t/others", 0)
	add(t, s, "t/others", "anew", 0)

	// Values and lists must not be mixed up.
	if v, err := s.Get(t.Context(), "t/turns"); err == nil {
		t.Errorf("a list was got as %q", v)
	}
	if first, err := s.PutOnce(t.Context(), "t/turns", []byte("x"), 0); err == nil {
		t.Errorf("a list was put once: %v", first)
	}
	wantList(t, s, "t/turns", 0, all...)
	putState(t, s, "t/value", "x", 0)
	if at, err := s.Append(t.Context(), "t/value", []byte("x"), 0); err == nil {
		t.Errorf("a value was appended to: %d", at)
	}
	if list, err := s.Read(t.Context(), "t/value", 0); err == nil {
		t.Errorf("a value was read as a list: %q", list)
	}
	wantState(t, s, "t/value", "x")
	putState(t, s, "t/turns", "a value now", 0)
	wantState(t, s, "t/turns", "a value now")
}

func expiry(t *testing.T, m StateMake) {
	t.Helper()
	for _, more := range sizes {
		expiryOf(t, m, more)
	}
}

func expiryOf(t *testing.T, m StateMake, more string) {
	t.Helper()
	s := m.Open(t)
	const short, long = 2 * time.Second, time.Hour // values must last until all are written, even on a busy machine
	putState(t, s, "g/put", "x"+more, short)
	if _, err := s.PutOnce(t.Context(), "g/once", []byte("x"+more), short); err != nil {
		t.Fatal(err)
	}
	add(t, s, "g/list", "x", 0)
	for _, key := range []string{"g/list-short", "g/list-renewed", "g/list-shortened"} {
		addFor(t, s, key, "x", short, 0)
	}
	addFor(t, s, "g/list-renewed", "y", long, 1)
	addFor(t, s, "g/list-shortened", "y", long, 1)
	addFor(t, s, "g/list-shortened", "z", short, 2) // does not shorten the previous expiry
	putState(t, s, "g/kept", "x"+more, long)
	putState(t, s, "g/kept-by-put", "x"+more, short)
	putState(t, s, "g/kept-by-put", "y"+more, 0)
	putState(t, s, "g/shortened", "x"+more, 0)
	putState(t, s, "g/shortened", "y"+more, short)
	putState(t, s, "g/not-first", "x"+more, long)
	if _, err := s.PutOnce(t.Context(), "g/not-first", []byte("y"+more), short); err != nil {
		t.Fatal(err)
	}
	putState(t, s, "brief/a", "x"+more, short)
	putState(t, s, "forever/a", "x"+more, 0)
	putState(t, s, "forever/b", "x"+more, short)

	m.Pass(t, s, 2*short)
	for _, key := range []string{"g/put", "g/once", "g/shortened", "brief/a", "forever/b"} {
		absent(t, s, key)
	}
	wantList(t, s, "g/list-short", 0)
	wantList(t, s, "g/list", 0, "x")
	wantList(t, s, "g/list-renewed", 0, "x", "y")
	wantList(t, s, "g/list-shortened", 0, "x", "y", "z")
	wantState(t, s, "g/kept", "x"+more)
	wantState(t, s, "g/kept-by-put", "y"+more)
	wantState(t, s, "g/not-first", "x"+more)
	wantKeys(t, s, "g", "g/kept", "g/kept-by-put", "g/list", "g/list-renewed", "g/list-shortened", "g/not-first")
	wantKeys(t, s, "brief")
	wantKeys(t, s, "forever", "forever/a")

	if first, err := s.PutOnce(t.Context(), "g/once", []byte("y"+more), 0); err != nil || !first {
		t.Errorf("what has expired is in the way: %v, %v", first, err)
	}
	add(t, s, "g/list-short", "anew", 0)
}

func groups(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	wantKeys(t, s, "r1")
	for _, key := range []string{"r1/b", "r1/a/deep/er", "r10/x", "r/1", "R1/x"} {
		putState(t, s, key, "of "+key, time.Hour)
	}
	addFor(t, s, "r1/list", "x", time.Minute, 0)
	if _, err := s.PutOnce(t.Context(), "r1/once", nil, time.Hour); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, s, "r1", "r1/a/deep/er", "r1/b", "r1/list", "r1/once")
	if err := s.Delete(t.Context(), "r1/b"); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, s, "r1", "r1/a/deep/er", "r1/list", "r1/once")
	for range 2 {
		if err := s.DeleteAll(t.Context(), "r1"); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, s, "r1")
		absent(t, s, "r1/a/deep/er")
		wantList(t, s, "r1/list", 0)
	}
	for _, key := range []string{"r10/x", "r/1", "R1/x"} {
		wantState(t, s, key, "of "+key)
		wantKeys(t, s, storage.Group(key), key)
	}
}

// gone checks that deleted, overwritten and expired data cannot be found any more.
func gone(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	const short = 2 * time.Second
	for _, more := range sizes {
		size := strconv.Itoa(len(more))
		putState(t, s, "g/over"+size, "a SECRET"+more, time.Hour)
		putState(t, s, "g/over"+size, "new"+more, time.Hour)
		putState(t, s, "g/SECRET"+size, "x"+more, time.Hour)
		addFor(t, s, "g/list-SECRET"+size, "a SECRET"+more, time.Hour, 0)
		putState(t, s, "all-SECRET/a"+size, "a SECRET"+more, time.Hour)
		addFor(t, s, "all-SECRET/list"+size, "a SECRET"+more, time.Hour, 0)
		putState(t, s, "g/kept"+size, "what STAYS"+more, time.Hour)
		putState(t, s, "g/expired"+size, "a SECRET"+more, short)
		addFor(t, s, "other/list", "STAYS too"+more, time.Hour, int64(slices.Index(sizes, more)))
	}
	m.Pass(t, s, 2*short)
	absent(t, s, "g/expired0")
	if held := m.Holds(t, s); !strings.Contains(held, "a SECRET") {
		t.Fatal("what is held is not seen")
	}
	for _, more := range sizes {
		size := strconv.Itoa(len(more))
		for _, key := range []string{"g/SECRET" + size, "g/list-SECRET" + size} {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.DeleteAll(t.Context(), "all-SECRET"); err != nil {
		t.Fatal(err)
	}
	if p, ok := s.(storage.Purger); ok {
		if err := p.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	held := m.Holds(t, s)
	if at := strings.Index(held, "SECRET"); at >= 0 {
		t.Errorf("it holds %.200q still", held[max(0, at-20):])
	}
	for _, want := range []string{"what STAYS", "STAYS too"} {
		if strings.Count(held, want) < len(sizes) {
			t.Errorf("%q is gone too", want)
		}
	}
	for _, more := range sizes {
		wantState(t, s, "g/over"+strconv.Itoa(len(more)), "new"+more)
	}
}

func refusingState(t *testing.T, m StateMake) {
	t.Helper()
	s, ctx := m.Open(t), t.Context()
	for _, key := range append([]string{"alone", "{a}/b", "a/{b}", "a}/b"}, badKeys...) {
		_, err := s.Get(ctx, key)
		refused(t, "get "+key, storage.ErrKey, err)
		refused(t, "put "+key, storage.ErrKey, s.Put(ctx, key, nil, 0))
		_, err = s.PutOnce(ctx, key, nil, 0)
		refused(t, "put once "+key, storage.ErrKey, err)
		refused(t, "delete "+key, storage.ErrKey, s.Delete(ctx, key))
		_, err = s.Append(ctx, key, nil, 0)
		refused(t, "append "+key, storage.ErrKey, err)
		_, err = s.Read(ctx, key, 0)
		refused(t, "read "+key, storage.ErrKey, err)
	}
	for _, group := range []string{"", "a/b", "{a}", "..", "a\n"} {
		_, err := s.Keys(ctx, group)
		refused(t, "keys "+group, storage.ErrKey, err)
		refused(t, "delete all "+group, storage.ErrKey, s.DeleteAll(ctx, group))
		refused(t, "publish "+group, storage.ErrKey, s.Publish(ctx, group, []byte("x")))
		_, err = s.Subscribe(ctx, group)
		refused(t, "subscribe "+group, storage.ErrKey, err)
	}
	large := make([]byte, storage.MaxValue+1)
	refused(t, "put", storage.ErrTooLarge, s.Put(ctx, "a/b", large, 0))
	_, err := s.PutOnce(ctx, "a/b", large, 0)
	refused(t, "put once", storage.ErrTooLarge, err)
	_, err = s.Append(ctx, "a/b", large, 0)
	refused(t, "append", storage.ErrTooLarge, err)
	refused(t, "publish", storage.ErrTooLarge, s.Publish(ctx, "a", make([]byte, storage.MaxHint+1)))
	if s.Publish(ctx, "a", nil) == nil {
		t.Error("an empty hint was taken")
	}
	if s.Put(ctx, "a/b", nil, -1) == nil {
		t.Error("a negative expiry was taken")
	}
	if list, err := s.Read(ctx, "a/b", -1); err == nil {
		t.Errorf("a negative position was taken: %q", list)
	}
	wantKeys(t, s, "a")

	ctx = ended(t)
	_, err = s.Get(ctx, "a/b")
	refused(t, "get", context.Canceled, err)
	refused(t, "put", context.Canceled, s.Put(ctx, "a/b", nil, 0))
	_, err = s.PutOnce(ctx, "a/b", nil, 0)
	refused(t, "put once", context.Canceled, err)
	refused(t, "delete", context.Canceled, s.Delete(ctx, "a/b"))
	_, err = s.Append(ctx, "a/b", nil, 0)
	refused(t, "append", context.Canceled, err)
	_, err = s.Read(ctx, "a/b", 0)
	refused(t, "read", context.Canceled, err)
	_, err = s.Keys(ctx, "a")
	refused(t, "keys", context.Canceled, err)
	refused(t, "delete all", context.Canceled, s.DeleteAll(ctx, "a"))
	refused(t, "publish", context.Canceled, s.Publish(ctx, "a", []byte("x")))
	_, err = s.Subscribe(ctx, "a")
	refused(t, "subscribe", context.Canceled, err)
}

func hints(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	one, two, other := subscribe(ctx, t, s, "progress"), subscribe(t.Context(), t, s, "progress"), subscribe(t.Context(), t, s, "progress2")
	for _, hint := range []string{"r1", "r2", "\x00\xff", strings.Repeat("x", storage.MaxHint)} {
		publish(t, s, "progress", hint)
		for _, hints := range []<-chan []byte{one, two} {
			if got := string(<-hints); got != hint {
				t.Errorf("the hint is %q, not %q", got, hint)
			}
		}
	}
	publish(t, s, "progress2", "after them")
	if got := string(<-other); got != "after them" {
		t.Errorf("another topic's hint is %q", got)
	}

	cancel()
	for range one {
	}
	publish(t, s, "progress", "for one")
	if got := string(<-two); got != "for one" {
		t.Errorf("the hint is %q", got)
	}

	// A slow reader blocks nobody and is notified.
	slow := subscribe(t.Context(), t, s, "flood")
	many := 0
	for ; len(slow) < cap(slow); many++ {
		publish(t, s, "flood", "drop")
	}
	got := 0
	for hint := range slow {
		if hint == nil {
			break
		}
		got++
	}
	if got == 0 || got > many {
		t.Errorf("%d of %d hints came before one that tells of a loss", got, many)
	}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for hint := range slow {
			if string(hint) == "last" {
				return
			}
		}
	}()
	for at := 0; ; at++ { // later hints arrive as soon as there is room
		publish(t, s, "flood", "last")
		select {
		case <-seen:
			return
		default:
		}
	}
}
