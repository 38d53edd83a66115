package lanes

import "sync"

// Lanes run functions: those of one key one after another, in the order in which they were
// put, those of different keys at once.
type Lanes struct {
	works *sync.WaitGroup // of the workers, one for each key that has functions

	mu    sync.Mutex
	lanes map[string][]func() // by key: the first one is running
}

// NewLanes makes lanes whose workers are counted by works.
func NewLanes(works *sync.WaitGroup) *Lanes {
	return &Lanes{works: works, lanes: map[string][]func(){}}
}

// Put adds a function to the end of a key's lane. It never blocks.
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

// next removes the function that has run from the lane and returns the one after it. It deletes an
// empty lane under the same lock, so that Put starts a new worker.
func (l *Lanes) next(key string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lanes[key] = l.lanes[key][1:]; len(l.lanes[key]) > 0 {
		return l.lanes[key][0]
	}
	delete(l.lanes, key)
	return nil
}
