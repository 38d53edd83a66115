// Package find searches threads and tools by words.
package find

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"atelier/adapters"
	"atelier/adapters/web/chat"
	"atelier/adapters/web/page"
	"atelier/adapters/web/store"
)

const (
	// LongestQuery is how many bytes of a query are used.
	LongestQuery = 200
	// most is the maximum number of threads, and of tools, found.
	most = 20
	// readAtOnce is how many threads are read concurrently.
	readAtOnce = 8
)

// Finder searches threads and tools.
type Finder struct {
	Store *store.Store
	// Tools returns all tools, in the catalogue's order.
	Tools func(ctx context.Context) ([]page.Tool, error)
	Now   func() time.Time
}

// Find returns the threads and tools that contain all words of a query; without words, the latest threads.
func (f *Finder) Find(ctx context.Context, query string) (page.Found, error) {
	query = adapters.Cut(query, LongestQuery)
	words := strings.Fields(strings.ToLower(query))
	found := page.Found{Query: query}
	threads, err := f.threads(ctx, words)
	if err != nil {
		return found, err
	}
	found.Threads = threads
	if len(words) == 0 {
		return found, nil
	}
	tools, err := f.Tools(ctx)
	if err != nil {
		return found, err
	}
	found.Tools = Tools(tools, query)
	found.Tools = found.Tools[:min(most, len(found.Tools))]
	return found, nil
}

// threads returns the threads whose title, or one of whose messages, contains all words, latest first.
func (f *Finder) threads(ctx context.Context, words []string) ([]page.FoundThread, error) {
	lines, err := f.Store.Index.List(ctx, f.Now(), store.Latest)
	if err != nil {
		return nil, err
	}
	hits := make([]*page.FoundThread, len(lines))
	failed := make([]error, len(lines))
	places := make(chan struct{}, readAtOnce)
	var readers sync.WaitGroup
	for i, l := range lines {
		as := page.ThreadLine{ID: l.Thread, Title: l.Title, At: l.At, Busy: l.Busy, Picture: page.ThumbnailURL(l.Thread, l.Picture)}
		if holds(l.Title, words) {
			hits[i] = &page.FoundThread{ThreadLine: as}
			continue
		}
		readers.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			hits[i], failed[i] = f.message(ctx, as, words)
		})
	}
	readers.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	var found []page.FoundThread
	for _, h := range hits {
		if h != nil && len(found) < most {
			found = append(found, *h)
		}
	}
	return found, nil
}

// message returns a hit for the latest message of a thread that contains all words, or nil.
func (f *Finder) message(ctx context.Context, as page.ThreadLine, words []string) (*page.FoundThread, error) {
	t, err := f.Store.Threads.Read(ctx, as.ID, store.Latest)
	if errors.Is(err, adapters.ErrGone) {
		return nil, nil //nolint:nilnil // it was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	for i := range t.Messages {
		m := t.Messages[len(t.Messages)-1-i]
		if text := textOf(m); holds(text, words) {
			return &page.FoundThread{ThreadLine: as, Message: m.ID, Excerpt: excerpt(text, words)}, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// textOf returns the text of a message and the names of its files.
func textOf(m *chat.Message) string {
	if m.Removed {
		return ""
	}
	var all []string
	if m.Wrote != nil {
		all = append(all, m.Wrote.Text)
	}
	for _, f := range m.Files {
		all = append(all, f.Name)
	}
	if m.Said != nil {
		all = append(all, m.Said.Reply.Text)
		for _, a := range m.Said.Reply.Files {
			all = append(all, a.Name)
		}
	}
	return strings.Join(all, "\n")
}

func holds(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// excerpt returns the text around the first match, on one line.
func excerpt(text string, words []string) string {
	const before, longest = 24, 120 // characters
	all := []rune(strings.Join(strings.Fields(text), " "))
	low := make([]rune, len(all))
	for i, r := range all {
		low[i] = unicode.ToLower(r)
	}
	at := 0
	if len(words) > 0 {
		if i := strings.Index(string(low), words[0]); i > 0 {
			at = len([]rune(string(low)[:i]))
		}
	}
	from := max(0, at-before)
	to := min(len(all), from+longest)
	out := string(all[from:to])
	if from > 0 {
		out = "…" + out
	}
	if to < len(all) {
		out += "…"
	}
	return out
}
