package record

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	redisstate "atelier/storage/redis"
	"atelier/storage/redis/embedded"
)

// Names are given in the order of the claims, each once however it is written, and stay.
func TestReadableNamesAreUnique(t *testing.T) {
	t.Parallel()
	f := newFiles()
	f.add(&nameClaim{Files: []namedFile{{"a", "photo-small.jpg"}, {"b", "photo-small.jpg"}}, Taken: []string{"Photo-Small-2.JPG"}})
	f.add(&nameClaim{Files: []namedFile{{"c", "PHOTO-small.jpg"}, {"a", "other.jpg"}, {"d", "no-ending"}, {"e", "no-ending"}}})
	want := map[string]string{
		"a": "photo-small.jpg", "b": "photo-small-3.jpg", "c": "PHOTO-small-4.jpg", "d": "no-ending", "e": "no-ending-2",
	}
	if !maps.Equal(f.names, want) {
		t.Errorf("%v", f.names)
	}
}

// TestConcurrentRunsGetDifferentNames: two processes claim the same name for the files of many
// runs. Each run must learn the name that everybody else sees for its file.
func TestConcurrentRunsGetDifferentNames(t *testing.T) {
	t.Parallel()
	server := embedded.New()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	state, err := redisstate.New(redisstate.Config{Client: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	process := func() *Store { return NewStore(StoreConfig{State: state, Retention: time.Hour, Now: time.Now}) }
	processes := []*Store{process(), process()}
	if _, err := processes[0].WriteThread(t.Context(), "thread", Entry{Joined: &Joined{}}); err != nil {
		t.Fatal(err)
	}
	const runs = 20
	got := make([]string, runs)
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() {
			chained := fmt.Sprintf("photo.resize-%d.jpg", i)
			claimed := Entry{Claimed: &nameClaim{Files: []namedFile{{chained, "photo-small.jpg"}}}}
			thread, err := processes[i%2].WriteThread(t.Context(), "thread", claimed)
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = thread.files.names[chained]
		})
	}
	all.Wait()
	thread, err := process().Thread(t.Context(), "thread")
	if err != nil {
		t.Fatal(err)
	}
	end := thread.files.names
	given := map[string]bool{}
	for i, name := range got {
		if later := end[fmt.Sprintf("photo.resize-%d.jpg", i)]; name == "" || given[name] || name != later {
			t.Errorf("run %d got %q, which is %q in the end", i, name, later)
		}
		given[name] = true
	}
}
