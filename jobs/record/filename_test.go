package record

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"atelier/agent/plan"
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

// TestDeliveredFilesAreNamedFirst checks that a file on the way leaves the wanted name to the file that people get.
func TestDeliveredFilesAreNamedFirst(t *testing.T) {
	t.Parallel()
	sound := func(s plan.Source) []plan.Binding {
		return []plan.Binding{{Arg: "audio", Type: plan.Audio, Source: s}}
	}
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "call.wav", Type: plan.Audio}},
		Tasks: []plan.Task{{
			Subtask: plan.Subtask{Returns: plan.Audio},
			Solutions: []plan.Solution{{Actions: []plan.Action{
				{Tool: "pick_channel", Returns: plan.Audio, Args: sound(plan.FromResource("call.wav"))},
				{Tool: "louder", Returns: plan.Audio, Args: sound(plan.FromAction(0))},
			}}},
		}},
	}
	route, err := plan.NewRoute(p, p.Best())
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range route.Steps() {
		made := plan.Resource{Name: fmt.Sprintf("call.step-%d.wav", i), File: "customer.wav", Type: plan.Audio}
		if _, err := route.Record(step.Key, plan.Result{Status: plan.Done, Output: &made}); err != nil {
			t.Fatal(err)
		}
	}
	f := newFiles()
	f.add(wantedNames(route))
	if want := map[string]string{"call.step-1.wav": "customer.wav", "call.step-0.wav": "customer-2.wav"}; !maps.Equal(f.names, want) {
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
