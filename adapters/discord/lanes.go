package discord

import "sync"

// lanes do one thing after another where these have the same key, and others at once.
type lanes struct {
	works *sync.WaitGroup // of what is at work

	mu  sync.Mutex
	all map[string][]func() // by key: the first one is being done
}

func newLanes(works *sync.WaitGroup) *lanes {
	return &lanes{works: works, all: map[string][]func(){}}
}

// put lets something wait for its turn. It never blocks.
func (l *lanes) put(key string, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[key] = append(l.all[key], do)
	if len(l.all[key]) == 1 {
		l.works.Go(func() { l.work(key, do) })
	}
}

func (l *lanes) work(key string, do func()) {
	for do != nil {
		do()
		do = l.next(key)
	}
}

// next is what comes after the one that is done, nil where the lane ends.
func (l *lanes) next(key string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[key] = l.all[key][1:]; len(l.all[key]) > 0 {
		return l.all[key][0]
	}
	delete(l.all, key)
	return nil
}
