package lanes_test

import (
	"slices"
	"sync"
	"testing"

	"atelier/adapters/lanes"
)

// TestLanesInOrder checks that functions of one key run in order.
func TestLanesInOrder(t *testing.T) {
	t.Parallel()
	var works sync.WaitGroup
	lanes := lanes.NewLanes(&works)
	const functions = 1000
	var ran []int // by one worker at a time
	for i := range functions {
		lanes.Put("one", func() { ran = append(ran, i) })
	}
	works.Wait()
	if len(ran) != functions || !slices.IsSorted(ran) {
		t.Errorf("ran %v", ran)
	}
}

// TestLanesAtTheEnd checks that a function that is put while its lane ends runs once.
func TestLanesAtTheEnd(t *testing.T) {
	t.Parallel()
	var works sync.WaitGroup
	lanes := lanes.NewLanes(&works)
	const functions = 50_000
	ran := make(chan int, functions)
	for i := range functions {
		lanes.Put("one", func() { ran <- i })
		if got := <-ran; got != i {
			t.Fatalf("function %d ran, want %d", got, i)
		}
	}
	works.Wait()
	if len(ran) > 0 {
		t.Errorf("function %d ran twice", <-ran)
	}
}

// TestLanesAreConcurrent checks that a function of one key does not block those of another.
func TestLanesAreConcurrent(t *testing.T) {
	t.Parallel()
	var works sync.WaitGroup
	lanes := lanes.NewLanes(&works)
	other := make(chan struct{})
	lanes.Put("one", func() { <-other })
	lanes.Put("two", func() { close(other) })
	works.Wait()
}
