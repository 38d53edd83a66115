package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// titlesAtOnce is of how many threads the titles are read at once.
const titlesAtOnce = 8

// titlesOf gives the titles of threads, "" of those that are not there (yet). They are read
// from the threads themselves, each once, so that they go with them.
func (x *index) titlesOf(ctx context.Context, all []listed) ([]string, error) {
	titles := make([]string, len(all))
	failed := make([]error, len(all))
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
	return titles, errors.Join(failed...)
}

// title reads the title of a thread.
func (x *index) title(ctx context.Context, thread string) (string, error) {
	raw, err := x.state.Read(ctx, logKey(thread), 0)
	if err != nil {
		return "", fmt.Errorf("read the title of a thread: %w", err)
	}
	var first entry
	if len(raw) == 0 || json.Unmarshal(raw[0], &first) != nil || first.Wrote == nil {
		return "", nil
	}
	title := titleOf(first.Wrote)
	x.mu.Lock()
	defer x.mu.Unlock()
	if l, ok := x.lines[thread]; ok && !l.Gone { // it was not forgotten meanwhile
		x.titles[thread] = title
	}
	return title, nil
}
