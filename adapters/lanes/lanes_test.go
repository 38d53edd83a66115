package lanes_test

import (
	"slices"
	"sync"
	"testing"

	"atelier/adapters/lanes"
)

// Functions of one key run in the order in which they were put.
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

// A function that is put while its lane ends runs once, like any other.
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

// A function of one key does not hold up those of another.
func TestLanesAtOnce(t *testing.T) {
	t.Parallel()
	var works sync.WaitGroup
	lanes := lanes.NewLanes(&works)
	other := make(chan struct{})
	lanes.Put("one", func() { <-other })
	lanes.Put("two", func() { close(other) })
	works.Wait()
}
