package lanes

import "sync"

// Lanes runs functions: those of one key one after another, in order, those of different keys concurrently.
type Lanes struct {
	works *sync.WaitGroup // of the workers, one per key with functions

	mu    sync.Mutex
	lanes map[string][]func() // by key; the first one is running
}

// NewLanes returns lanes whose workers are counted by works.
func NewLanes(works *sync.WaitGroup) *Lanes {
	return &Lanes{works: works, lanes: map[string][]func(){}}
}

// Put appends a function to a key's lane. It never blocks.
func (l *Lanes) Put(key string, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lanes[key] = append(l.lanes[key], do)
	if len(l.lanes[key]) == 1 {
		l.works.Go(func() { l.work(key, do) })
	}
}

func (l *Lanes) work(key string, do func()) {
	for do != nil {
		do()
		do = l.next(key)
	}
}

// next removes the finished function from the lane and returns the next one. It deletes an empty lane under the same
// lock, so that Put starts a new worker.
func (l *Lanes) next(key string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lanes[key] = l.lanes[key][1:]; len(l.lanes[key]) > 0 {
		return l.lanes[key][0]
	}
	delete(l.lanes, key)
	return nil
}
