package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/adapters/web/chat"
)

// Line is a thread's line in a day's list; the last one counts, whatever its time. It outlives deleted
// threads, so it has nothing that people wrote.
type Line struct {
	At     time.Time `json:"at"`
	Thread string    `json:"thread"`
	Busy   bool      `json:"busy,omitempty"`
	Gone   bool      `json:"gone,omitempty"` // the thread was deleted

	// Picture identifies the thread's latest picture. It is not set in a line with Waits.
	Picture string `json:"picture,omitempty"`
	Renamed bool   `json:"renamed,omitempty"` // the thread was renamed

	Waits string   `json:"waits,omitempty"` // id of a message or reaction about to be written
	Taken []string `json:"taken,omitempty"` // ids of those that the handler accepted
}

// TitledLine is a thread in the list of threads.
type TitledLine struct {
	Line

	Title string
}

const (
	// MaxListed is the maximum number of threads in the list.
	MaxListed = 200
	// titlesAtOnce is how many titles are read concurrently.
	titlesAtOnce = 8
)

// Index is the list of threads. It is stored as one list per day, which expires with its threads. The last two are
// read again, earlier ones once.
type Index struct {
	state     State
	hints     func() uint64 // number of hints so far
	retention time.Duration

	reading latch            // for the two below
	read    map[string]int64 // number of entries read per day
	fresh   uint64           // number of hints when it was read

	mu     sync.Mutex
	lines  map[string]Line
	titles map[string]string // of listed threads
	named  uint64            // number of renames
	waits  waits
}

func newIndex(state State, hints func() uint64, retention time.Duration) *Index {
	return &Index{
		state: state, hints: hints, retention: retention, reading: newLatch(), read: map[string]int64{},
		lines: map[string]Line{}, titles: map[string]string{}, waits: waits{},
	}
}

// Refresh reads new lines, unless it has done so since the wanted hint.
func (x *Index) Refresh(ctx context.Context, at time.Time, wanted uint64) error {
	if err := x.reading.lock(ctx); err != nil {
		return err
	}
	defer x.reading.unlock()
	hints := x.hints()
	if x.fresh >= wanted && len(x.read) > 0 {
		return nil
	}
	days := int(x.retention/day) + 1
	kept := map[string]int64{}
	for back := days; back >= 0; back-- {
		key := dayKey(at.Add(-time.Duration(back) * day))
		from, before := x.read[key]
		if before && back > 1 {
			kept[key] = from
			continue
		}
		raw, err := x.state.Read(ctx, key, from)
		if err != nil {
			return fmt.Errorf("read the list of threads: %w", err)
		}
		for _, b := range raw {
			var l Line
			if json.Unmarshal(b, &l) == nil && chat.ValidID.MatchString(l.Thread) {
				x.put(l, at)
			}
		}
		kept[key] = from + int64(len(raw))
		x.read[key] = kept[key] // also if a later one fails
	}
	x.read, x.fresh = kept, hints
	x.expire(at)
	return nil
}

// List returns the list of threads as of the wanted hint or later. Titles are read from the threads, so that they
// are deleted with them; a thread without one does not exist (yet).
func (x *Index) List(ctx context.Context, at time.Time, wanted uint64) ([]TitledLine, error) {
	if err := x.Refresh(ctx, at, wanted); err != nil {
		return nil, err
	}
	all := x.threads()
	titles, failed := make([]string, len(all)), make([]error, len(all))
	var readers sync.WaitGroup
	places := make(chan struct{}, titlesAtOnce)
	x.mu.Lock()
	for i, l := range all {
		title, ok := x.titles[l.Thread]
		if titles[i] = title; ok {
			continue
		}
		readers.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			titles[i], failed[i] = x.title(ctx, l.Thread)
		})
	}
	x.mu.Unlock()
	readers.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	var lines []TitledLine
	for i, l := range all {
		if titles[i] != "" {
			lines = append(lines, TitledLine{l, titles[i]})
		}
	}
	return lines, nil
}

// put replaces a thread's line.
func (x *Index) put(l Line, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waits.put(l, at)
	if l.Gone || l.Renamed { // read the title again
		delete(x.titles, l.Thread)
	}
	if l.Renamed {
		x.named++
	}
	if l.Waits != "" {
		l.Picture = x.lines[l.Thread].Picture
	}
	x.lines[l.Thread] = l
}

// expire drops expired threads, and those far down the list.
func (x *Index) expire(at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, l := range x.lines {
		if at.Sub(l.At) > x.retention {
			delete(x.lines, id)
			delete(x.titles, id)
		}
	}
	x.waits.expire(at.Add(-x.retention))
	if len(x.lines) < 8*MaxListed {
		return
	}
	for _, l := range x.sorted()[4*MaxListed:] {
		delete(x.lines, l.Thread)
		delete(x.titles, l.Thread)
	}
}

// sorted returns all lines, latest first.
func (x *Index) sorted() []Line {
	all := make([]Line, 0, len(x.lines))
	for _, l := range x.lines {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b Line) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Thread, b.Thread)) })
	return all
}

// threads returns the lines of the list, latest first.
func (x *Index) threads() []Line {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := slices.DeleteFunc(x.sorted(), func(l Line) bool { return l.Gone })
	return all[:min(len(all), MaxListed)]
}

// needs reports whether l must replace the thread's line.
func (x *Index) needs(l Line) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	known, ok := x.lines[l.Thread]
	if l.Waits == "" && known.Picture != l.Picture || l.Renamed {
		return true
	}
	return !ok || known.Gone != l.Gone || known.Busy != l.Busy || l.At.Sub(known.At) > time.Minute
}

// title reads the title of a thread.
func (x *Index) title(ctx context.Context, thread string) (string, error) {
	x.mu.Lock()
	named := x.named
	x.mu.Unlock()
	raw, err := x.state.Read(ctx, logKey(thread), 0)
	if err != nil {
		return "", fmt.Errorf("read the title of a thread: %w", err)
	}
	title := chat.TitleIn(raw)
	if title == "" {
		return "", nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if l, ok := x.lines[thread]; ok && !l.Gone && named == x.named { // it was not deleted or renamed meanwhile
		x.titles[thread] = title
	}
	return title, nil
}
