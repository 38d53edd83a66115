package adapterstest

import (
	"context"
	"strings"

	"atelier/adapters"
)

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
