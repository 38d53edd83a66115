package storagetest

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"
)

func atOnce(t *testing.T, m StateMake) {
	t.Helper()
	s := m.Open(t)
	const many = 16
	var all sync.WaitGroup
	var mu sync.Mutex
	winners := map[string][]string{}
	positions := map[int64]bool{}
	for i := range many {
		all.Go(func() {
			me := strconv.Itoa(i)
			for round := range 5 {
				key := fmt.Sprintf("race/%d", round)
				first, err := s.PutOnce(t.Context(), key, []byte(me), time.Hour)
				if err != nil {
					t.Error(err)
				}
				at, err := s.Append(t.Context(), "race/list", []byte(me), time.Hour)
				if err != nil {
					t.Error(err)
				}
				if err := s.Put(t.Context(), "race/own-"+me, bytes.Repeat([]byte(me[:1]), 1000), time.Hour); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if first {
					winners[key] = append(winners[key], me)
				}
				positions[at] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for round := range 5 {
		key := fmt.Sprintf("race/%d", round)
		if len(winners[key]) != 1 {
			t.Errorf("%s was won by %v", key, winners[key])
			continue
		}
		wantState(t, s, key, winners[key][0])
	}
	list, err := s.Read(t.Context(), "race/list", 0)
	if err != nil || len(list) != 5*many || len(positions) != 5*many {
		t.Errorf("%d values at %d positions, %v", len(list), len(positions), err)
	}
	keys, err := s.Keys(t.Context(), "race")
	if err != nil || len(keys) != 5+1+many {
		t.Errorf("the keys are %v, %v", keys, err)
	}
}
