package quota_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/jobs/quota"
	"atelier/storage"
	"atelier/storage/disk"
	"atelier/storage/storagetest"
)

// state is a state on disk whose values expire by the clock.
func state(t *testing.T, c *storagetest.Clock) storage.State {
	t.Helper()
	s, err := disk.OpenState(disk.StateConfig{File: filepath.Join(t.TempDir(), "state.log"), Now: c.Now})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func make1(t *testing.T, c quota.Config) *quota.Quota {
	t.Helper()
	q, err := quota.New(c)
	check(t, err)
	return q
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	ann  = adapters.Person{ID: "ann", Roles: []string{"painter"}}
	bob  = adapters.Person{ID: "bob"}
	root = adapters.Person{ID: "root", Admin: true}
	den  = adapters.Thread{Adapter: "discord", Workspace: "g1", Channel: "den", ID: "t1"}
	yard = adapters.Thread{Adapter: "discord", Workspace: "g2", Channel: "yard"}
	chat = adapters.Thread{Adapter: "discord", Channel: "d1", Direct: true}
	team = adapters.Thread{Adapter: "slack", Workspace: "g1", Channel: "den"}
)

func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	type at struct {
		by adapters.Person
		in adapters.Thread
	}
	all := []at{{ann, den}, {bob, den}, {ann, yard}, {bob, chat}, {bob, team}, {root, yard}}
	for _, c := range []struct {
		allow, deny string
		may         string // which of all
	}{
		{"", "", "012345"},
		{"discord/guild/g1", "", "014"},
		{"discord/workspace/g1 slack/team/g9", "", "01"},
		{"discord/channel/den", "", "014"},
		{"discord/channel/t1", "", "014"},
		{"discord/user/bob,discord/role/painter", "", "01234"},
		{"", "discord/user/bob", "0245"},
		{"", "discord", "4"},
		{"", "discord/server/g2,slack/channel/den", "013"},
		{"discord/guild/g1", "discord/role/painter", "14"},
		{"discord/user/ann", "discord/user/ann", "4"},
		{"discord/user/", "", "error"}, {"discord/people/ann", "", "error"}, {"a/b", "", "error"}, {"<@1>", "", "error"}, {"discord/user/@ann", "", "error"},
	} {
		allow, err := quota.ParseEntries(c.allow)
		if c.may == "error" {
			if err == nil || !strings.Contains(err.Error(), "discord/guild/1097") {
				t.Errorf("%s: %v", c.allow, err)
			}
			continue
		}
		check(t, err)
		deny, err := quota.ParseEntries(c.deny)
		check(t, err)
		q := make1(t, quota.Config{State: state(t, storagetest.NewClock()), Allow: allow, Deny: deny})
		for i, a := range all {
			if may := strings.Contains(c.may, strconv.Itoa(i)); q.Allowed(a.by, a.in) != may {
				t.Errorf("allow %q, deny %q: %s may ask in %s: %v", c.allow, c.deny, a.by.ID, a.in.Key(), !may)
			}
		}
		for _, e := range slices.Concat(allow, deny) {
			if again, err := quota.ParseEntry(e.String()); err != nil || again != e {
				t.Errorf("%s is read as %v: %v", e, again, err)
			}
		}
	}
}

func TestInvalidQuota(t *testing.T) {
	t.Parallel()
	s := state(t, storagetest.NewClock())
	for _, c := range []quota.Config{
		{}, {State: s, Requests: -1}, {State: s, AtOnce: -1}, {State: s, ChannelAtOnce: 1001}, {State: s, Bytes: -1}, {State: s, Longest: -1},
	} {
		if _, err := quota.New(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

func TestHourlyRequests(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	s := state(t, c)
	config := quota.Config{State: s, Requests: 3, Now: c.Now, Exempt: []quota.Entry{{Adapter: "discord", Kind: quota.User, ID: "root"}}}
	q := make1(t, config)
	take := func(id string, by adapters.Person, in adapters.Thread) string {
		t.Helper()
		refused, err := q.Take(t.Context(), id, by, in)
		check(t, err)
		if refused == nil {
			return ""
		}
		return refused.Sentence.String()
	}
	for i := range 3 {
		for range 2 { // a repeated id counts once
			if told := take(fmt.Sprint("a", i), ann, den); told != "" {
				t.Fatal(told)
			}
		}
		c.Pass(10 * time.Minute) // across the calendar hour
	}
	q = make1(t, config) // another process
	for _, in := range []adapters.Thread{den, yard, chat} {
		if told := take("late", ann, in); told != "You have reached the limit of requests here, which is 3 an hour. Ask again in 30 minutes." {
			t.Errorf("the reply is %q", told)
		}
	}
	for i := range 5 {
		if told := take(fmt.Sprint("r", i), root, den); told != "" {
			t.Errorf("the reply to an exempt person is %q", told)
		}
	}
	if take("b", bob, den) != "" || take("s", ann, team) != "" {
		t.Error("others are held to it")
	}
	c.Pass(29*time.Minute + 30*time.Second)
	if told := take("late", ann, den); !strings.HasSuffix(told, "in 30 seconds.") {
		t.Errorf("the reply is %q", told)
	}
	c.Pass(30 * time.Second)
	if take("late", ann, den) != "" || take("later", ann, den) == "" {
		t.Error("the first one makes room for one")
	}
	left, err := q.Left(t.Context(), ann, den)
	check(t, err)
	if left != (quota.Left{Requests: 0, Limit: 3}) {
		t.Errorf("left is %+v", left)
	}
}

// TestConcurrentRequests: many processes take concurrently, and exactly the limit succeeds.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	s := state(t, c)
	for _, config := range []quota.Config{{Requests: 7}, {AtOnce: 7}, {ChannelAtOnce: 7}} {
		config.State, config.Now = s, c.Now
		var got sync.Map
		var all sync.WaitGroup
		for n := range 30 {
			q := make1(t, config)
			all.Go(func() {
				id := fmt.Sprint(config.Requests, config.AtOnce, n)
				refused, err := q.Take(t.Context(), id, ann, den)
				if err != nil {
					t.Error(err)
				}
				if refused == nil {
					got.Store(id, true)
				}
			})
		}
		all.Wait()
		n := 0
		got.Range(func(any, any) bool { n++; return true })
		if n != 7 {
			t.Errorf("%+v: %d were taken", config, n)
		}
	}
}

func TestRequestsInProgress(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), AtOnce: 2, ChannelAtOnce: 3, Requests: 100, Now: c.Now, Longest: time.Hour})
	why := func(id string, by adapters.Person, in adapters.Thread) quota.Reason {
		t.Helper()
		refused, err := q.Take(t.Context(), id, by, in)
		check(t, err)
		if refused == nil {
			return ""
		}
		return refused.Why
	}
	done := func(id string, by adapters.Person, in adapters.Thread) {
		t.Helper()
		check(t, q.Done(t.Context(), id, by, in))
	}
	for i, step := range []struct {
		id   string
		by   adapters.Person
		in   adapters.Thread
		want quota.Reason
	}{
		{"1", ann, den, ""},
		{"1", ann, den, ""},
		{"2", ann, yard, ""},
		{"3", ann, den, quota.AtOnce},
		{"4", bob, den, ""},
		{"5", root, den, ""},
		{"6", adapters.Person{ID: "eve"}, den, quota.ChannelAtOnce},
		{"6", adapters.Person{ID: "eve"}, yard, ""}, // the refused request takes none of her seats
	} {
		if got := why(step.id, step.by, step.in); got != step.want {
			t.Errorf("step %d: %q, not %q", i, got, step.want)
		}
	}
	done("unknown", ann, den)
	done("1", ann, den)
	done("1", ann, den)
	if got := why("3", ann, den); got != "" {
		t.Errorf("there is room, and it is refused: %s", got)
	}
	left, err := q.Left(t.Context(), ann, den)
	check(t, err)
	if left.Requests != 97 { // refused requests do not count
		t.Errorf("left is %+v", left)
	}
	c.Pass(time.Hour)
	if got := why("7", ann, den); got != "" { // Done was never called for the earlier ones
		t.Errorf("refused: %s", got)
	}
}

func TestDailyBytes(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), Bytes: 10_000_000, Now: c.Now})
	ctx := t.Context()
	room := func(id string) int64 {
		t.Helper()
		n, err := q.Room(ctx, id, ann, den)
		check(t, err)
		return n
	}
	take := func(id string, n int64) string {
		t.Helper()
		refused, err := q.TakeBytes(ctx, id, ann, den, n)
		check(t, err)
		if refused == nil {
			return ""
		}
		return refused.Sentence.String()
	}
	if room("a") != 10_000_000 || take("a", 6_000_000) != "" || take("a", 6_000_000) != "" || room("a") >= 0 || room("b") != 4_000_000 {
		t.Errorf("the room is %d and %d", room("a"), room("b"))
	}
	c.Pass(90 * time.Minute)
	if told := take("b", 5_000_000); told != "You have reached your daily upload limit, which is 10 MB. Send it again in 23 hours." {
		t.Errorf("the reply is %q", told)
	}
	for n, want := range map[int64]string{5_000_000: "again in 23 hours", 11_000_000: "more than your daily upload limit"} {
		refused, err := q.TooMuch(ctx, ann, den, n)
		check(t, err)
		if !strings.Contains(refused.Sentence.String(), want) || refused.Why != quota.Day {
			t.Errorf("%d: %s", n, refused.Sentence)
		}
	}
	for limit, want := range map[int64]string{5: "5 B", 2000: "2 kB", 5500: "5.5 kB", 99_999: "99 kB", 150_000: "0.1 MB", 2_500_000: "2.5 MB", 1 << 30: "1073 MB"} {
		small := make1(t, quota.Config{State: state(t, c), Bytes: limit, Now: c.Now})
		refused, err := small.TooMuch(ctx, bob, den, limit+1)
		check(t, err)
		if told := refused.Sentence.String(); !strings.Contains(told, "which is "+want+". Please") {
			t.Errorf("%d: the reply is %q", limit, told)
		}
	}
	c.Pass(23 * time.Hour)
	if take("b", 10_000_000) != "" || room("c") != 0 {
		t.Error("a day later there is no room")
	}
	free := make1(t, quota.Config{State: state(t, c)})
	if n, err := free.Room(ctx, "a", ann, den); err != nil || n >= 0 {
		t.Errorf("without a limit there is room for %d: %v", n, err)
	}
}

// TestAllowedPlaces: whoever was let in to an allowed place may act there, even if unknown.
func TestAllowedPlaces(t *testing.T) {
	t.Parallel()
	entry := func(k quota.Kind, id string) []quota.Entry {
		return []quota.Entry{{Adapter: den.Adapter, Kind: k, ID: id}}
	}
	for name, c := range map[string]struct {
		config quota.Config
		want   bool
	}{
		"of everybody":             {quota.Config{}, true},
		"of one person":            {quota.Config{Allow: entry(quota.User, "somebody")}, true},
		"of a role":                {quota.Config{Allow: entry(quota.Role, "some")}, true},
		"of the channel":           {quota.Config{Allow: entry(quota.Channel, den.Channel)}, true},
		"of another channel":       {quota.Config{Allow: entry(quota.Channel, "other")}, false},
		"where a person is denied": {quota.Config{Deny: entry(quota.User, "")}, true},
		"that is denied":           {quota.Config{Deny: entry(quota.Channel, den.Channel)}, false},
		"of a denied platform":     {quota.Config{Deny: entry("", "")}, false},
	} {
		c.config.State = state(t, storagetest.NewClock())
		if got := make1(t, c.config).AllowedPlace(den); got != c.want {
			t.Errorf("a place %s: %v", name, got)
		}
	}
}

func TestRefusalIsReportedOnce(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), Now: c.Now})
	tell := func(id string, by adapters.Person, in adapters.Thread, why quota.Reason) bool {
		t.Helper()
		ok, err := q.Tell(t.Context(), id, by, in, why)
		check(t, err)
		return ok
	}
	if !tell("1", ann, den, quota.Hour) || tell("2", ann, den, quota.Hour) || !tell("1", ann, den, quota.Hour) || !tell("3", bob, den, quota.Hour) {
		t.Error("each person is told once")
	}
	told := 0
	for i := range 100 {
		in := den
		in.ID = fmt.Sprint("thread", i)
		if tell(fmt.Sprint("mention", i), ann, in, quota.Hour) {
			t.Errorf("it is repeated in %s of the channel", in.ID)
		}
		in.Channel = fmt.Sprint("channel", i)
		if tell(fmt.Sprint("flood", i), ann, in, quota.Hour) {
			told++
		}
	}
	if told != 4 { // and one before
		t.Errorf("a flood in many channels gets %d replies", told)
	}
	c.Pass(11 * time.Minute)
	if !tell("4", ann, den, quota.Hour) || !tell("5", ann, den, quota.Denied) || tell("6", ann, den, quota.Denied) {
		t.Error("after a while it is repeated, and people who may not ask are told once")
	}
	c.Pass(time.Hour)
	other := den
	other.ID = "t2"
	if tell("7", ann, other, quota.Denied) || !tell("8", ann, yard, quota.Denied) {
		t.Error("people who may not ask are told once in a channel")
	}
}

func TestCommandLimit(t *testing.T) {
	t.Parallel()
	c := storagetest.NewClock()
	q := make1(t, quota.Config{State: state(t, c), Now: c.Now})
	answered := 0
	for i := range 200 {
		refused, err := q.Command(t.Context(), strconv.Itoa(i), ann, den)
		check(t, err)
		if refused == nil {
			answered++
		} else if said := refused.Sentence.String(); refused.Why != quota.Commands || !strings.Contains(said, "60 an hour. Ask again in") {
			t.Fatalf("it is refused by %q", said)
		}
	}
	if answered != 60 {
		t.Errorf("%d are answered", answered)
	}
}
