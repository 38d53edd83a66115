package adapterstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"atelier/adapters"
)

func repeating() map[string]check {
	return map[string]check{
		"one key posts once":                 {nil, oneKey},
		"one key in several processes":       {[]Feature{Processes}, oneKeyInProcesses},
		"one key at once":                    {nil, oneKeyAtOnce},
		"one key at once in processes":       {[]Feature{Processes, Races}, oneKeyAtOnceInProcesses},
		"keys that are alike":                {nil, keysAlike},
		"lost answers":                       {[]Feature{LostPosts}, lostAnswers},
		"a context that ends while it sends": {[]Feature{Uploads}, endsWhileSending},
	}
}

// rich returns a reply with everything, and with more files than one message holds on most platforms.
func (st *stage) rich(thread adapters.Thread) adapters.Reply {
	r := adapters.Reply{
		Thread: thread, Text: longText(1500), Mention: st.ana.ID, Choices: []adapters.Choice{{ID: "a", Text: "another way"}},
	}
	for i := range st.most(12) {
		r.Files = append(r.Files, st.shelf.put(fmt.Sprintf("file-%d.bin", i), "application/octet-stream", noise(1000+i)))
	}
	return r
}

// whole checks that exactly a rich reply is there, once.
func (s *scene) whole(r adapters.Reply, ref adapters.MessageRef) {
	s.Helper()
	messages := s.of(r.Thread, ref)
	s.only(r.Thread, ref)
	s.shows(messages, r.Text)
	s.attached(r.Thread, ref, r.Files)
	var offered, notified []string
	for _, m := range messages {
		offered, notified = append(offered, m.Choices...), append(notified, m.Notified...)
	}
	if len(offered) != len(r.Choices) || !equal(notified, []string{r.Mention}) {
		s.Errorf("offers %q, notifies %q", offered, notified)
	}
}

// same checks that two replies are the same messages.
func (st *stage) same(a, b adapters.MessageRef) {
	st.Helper()
	if a.Key() != b.Key() || !equal(slices.Sorted(slices.Values(a.Parts)), slices.Sorted(slices.Values(b.Parts))) {
		st.Errorf("one key was posted as %+v, and as %+v", a, b)
	}
}

func oneKey(s *scene) {
	r, key := s.rich(s.thread()), s.key()
	ref := s.sendUnder(key, r)
	for range 2 {
		s.same(ref, s.sendUnder(key, r))
	}
	s.whole(r, ref)
}

func oneKeyInProcesses(s *scene) {
	r, key := s.rich(s.thread()), s.key()
	ref := s.sendUnder(key, r)
	s.a = s.another()
	s.same(ref, s.sendUnder(key, r))
	s.whole(r, ref)
}

func oneKeyAtOnce(s *scene)            { atOnce(s, s.a, s.a) }
func oneKeyAtOnceInProcesses(s *scene) { atOnce(s, s.a, s.another()) }

// atOnce sends under one key from two adapters, several times each, concurrently. A call that fails for that
// reason may be retried.
func atOnce(s *scene, by ...adapters.Adapter) {
	r, key := s.rich(s.thread()), s.key()
	var mu sync.Mutex
	var refs []adapters.MessageRef
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			ref, err := by[i%2].Send(s.Context(), key, r)
			if err != nil && adapters.Final(err) {
				s.Errorf("concurrent send: %v", err)
			}
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			refs = append(refs, ref)
		})
	}
	all.Wait()
	ref := s.sendUnder(key, r)
	for _, other := range refs {
		s.same(ref, other)
	}
	s.whole(r, ref)
}

// keysAlike checks that replies that differ only in their keys are all posted, whatever the keys' characters.
func keysAlike(s *scene) {
	thread := s.thread()
	var refs []adapters.MessageRef
	seen := map[string]bool{}
	for _, key := range []string{
		"a", "A", "a/1", "a:1", "a.1", "~!#$%^&*()_+{}|:\"<>?", `\`, "`", "'",
		strings.Repeat("x", adapters.MaxKey), strings.Repeat("x", adapters.MaxKey-1), strings.Repeat("x", adapters.MaxKey-1) + "y",
	} {
		ref := s.sendUnder(key, adapters.Reply{Thread: thread, Text: "Done."})
		if seen[ref.Key()] {
			s.Errorf("the key %q is mistaken for another one", key)
		}
		seen[ref.Key()] = true
		refs = append(refs, ref)
	}
	s.only(thread, refs...)
}

// lostAnswers checks that accepted messages are not posted again, whichever response was lost.
func lostAnswers(s *scene) {
	for n := 1; n <= 3; n++ {
		r, key := s.rich(s.thread()), s.key()
		as[Losing](s, s.p).LoseAnswers(s.T, n)
		var ref adapters.MessageRef
		var err error
		for range n + 1 {
			if ref, err = s.a.Send(s.Context(), key, r); err == nil {
				break
			}
			if adapters.Final(err) {
				s.Errorf("a lost response: %v, want a retryable error", err)
			}
		}
		if err != nil {
			s.Fatalf("after %d lost responses: %v", n, err)
		}
		s.whole(r, ref)
	}
}

// endsWhileSending checks that Send ends with its context, and can be continued later.
func endsWhileSending(s *scene) {
	r, key := s.rich(s.thread()), s.key()
	opened := s.shelf.stall(r.Files[len(r.Files)-1].Handle)
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	over := make(chan struct{})
	var err error
	go func() {
		defer close(over)
		_, err = s.a.Send(ctx, key, r)
	}()
	s.wait("the opening of an attachment", opened)
	stop()
	s.wait("the end of a Send whose context has ended", over)
	s.is("send", err, context.Canceled)
	s.whole(r, s.sendUnder(key, r))
}

func keeping() map[string]check {
	return map[string]check{
		"deleting":   {[]Feature{Deletes}, deleting},
		"history":    {[]Feature{History}, history},
		"forgetting": {[]Feature{Forgets}, forgetting},
	}
}

func deleting(s *scene) {
	a := as[adapters.Deleter](s, s.a)
	thread := s.thread()
	asked := s.p.Write(s.T, s.post(thread, "do it"))
	stays, r := s.say(thread, "This stays."), s.rich(thread)
	goes := s.send(r)
	for range 2 {
		s.noError(a.Delete(s.Context(), goes))
		s.only(thread, stays)
	}
	half := s.send(s.rich(thread))
	first := half
	first.Parts = nil
	s.noError(a.Delete(s.Context(), first))
	s.noError(a.Delete(s.Context(), half))
	s.only(thread, stays)
	s.message(thread, asked.ID)
	if err := a.Delete(s.ended(), stays); err == nil {
		s.Error("Delete works with an ended context")
	}
	s.only(thread, stays)
}

// history checks that the messages before another one are returned, oldest first.
func history(s *scene) {
	a := as[adapters.Historian](s, s.a)
	thread, bob := s.thread(), s.bob()
	begin := len(s.p.Shown(s.T, thread)) // including the message with which the thread begins
	p := s.post(thread, "the first")
	p.Files = []Upload{{Name: "photo.png", Type: "image/png", Content: picture(s.T)}}
	first := s.p.Write(s.T, p)
	answer := s.say(thread, "the second")
	third := s.post(thread, "the third")
	third.By = bob
	s.p.Write(s.T, third)
	last := s.p.Write(s.T, s.post(thread, "the last"))
	s.p.Write(s.T, s.post(thread, "after it"))
	texts := []string{"the first", "the second", "the third"}
	for _, n := range []int{1, 2, 3, 1000} {
		got, err := a.Before(s.Context(), thread, last, "", n)
		if err != nil {
			s.Fatal(err)
		}
		if most := min(n, 3+begin); len(got) > most || len(got) < min(n, 3) {
			s.Fatalf("got %d of the last %d messages", len(got), n)
		}
		got = got[max(len(got)-3, 0):]
		for i, m := range got {
			if want := texts[len(texts)-len(got)+i]; !strings.Contains(m.Text, want) || m.Own != (want == "the second") || m.At.IsZero() || m.Ref.IsZero() {
				s.Errorf("of the last %d, message %d is %+v, want %q", n, i, m, want)
			}
		}
		if n < 3 {
			continue
		}
		if got[0].Ref.Key() != first.Key() || got[1].Ref.Key() != answer.Key() || got[0].By.ID != s.ana.ID || got[2].By.ID != bob.ID || len(got[0].Files) != 1 {
			s.Fatalf("the messages before are %+v", got)
		}
		s.fetched(s.a, got[0].Files[0], p.Files[0])
	}
	if got, err := a.Before(s.Context(), thread, last, answer.ID, 10); err != nil || len(got) != 1 || got[0].Text != "the third" {
		s.Errorf("after the answer: %+v: %v", got, err)
	}
	if got, err := a.Before(s.Context(), thread, last, "", 0); err != nil || len(got) != 0 {
		s.Errorf("a limit of 0 returns %d: %v", len(got), err)
	}
	if _, err := a.Before(s.Context(), s.p.Gone(s.T), last, "", 1); err != nil {
		s.is("look back in a thread that is gone", err, adapters.ErrGone)
	}
}

// forgetting checks that nothing of a thread is left, and that other threads are complete.
func forgetting(s *scene) {
	a := as[adapters.Keeper](s, s.a)
	thread, other := s.thread(), s.thread()
	s.p.Write(s.T, s.post(thread, "do it"))
	s.send(s.rich(thread))
	stays := s.say(other, "This stays.")
	for range 2 {
		s.noError(a.Forget(s.Context(), thread))
		if left := s.p.Shown(s.T, thread); len(left) != 0 {
			s.Errorf("%d messages are left", len(left))
		}
	}
	_, err := s.a.Send(s.Context(), s.key(), adapters.Reply{Thread: thread, Text: "x"})
	s.is("send to a thread that is forgotten", err, adapters.ErrGone)
	s.only(other, stays)
	if err := a.Forget(s.Context(), adapters.Thread{Adapter: "elsewhere", Channel: other.Channel, ID: other.ID}); err == nil {
		s.Error("Forget accepts a thread of another adapter")
	}
	s.is("forget", a.Forget(s.ended(), other), context.Canceled)
	s.only(other, stays)
}
