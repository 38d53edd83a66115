package adapterstest

import "atelier/adapters"

// voiceMessages checks that a voice message is received wherever a written one is, and that its sound is
// distinguished from one sent as a file.
func voiceMessages(s *scene) {
	e := s.listen()
	spoken := Upload{Name: "voice-message.ogg", Type: "audio/ogg", Content: []byte("OggS of a voice"), Voice: true}
	hear := func(p Post, meant ...adapters.Address) {
		s.Helper()
		p.By, p.Files = s.ana, []Upload{spoken}
		m := e.write(p).Message
		if m.Text != "" || len(m.Files) != 1 || !m.Files[0].Voice {
			s.Fatalf("a voice message was received as %q with %+v", m.Text, m.Files)
		}
		if len(meant) > 0 && m.For != meant[0] {
			s.Errorf("a voice message is for %q, want %q", m.For, meant[0])
		}
		s.fetched(s.a, m.Files[0], spoken)
	}
	if !s.lacks(Private) {
		hear(Post{Thread: s.place(true)}, adapters.Direct)
	}
	thread := s.thread()
	if s.lacks(Overhearing) {
		hear(s.post(thread, ""))
	} else if !s.lacks(Company) {
		hear(Post{Thread: thread}, adapters.Overheard)
	}
	if !s.lacks(Company) && !s.lacks(Replies) && !s.lacks(Overhearing) {
		hear(Post{Thread: thread, ReplyTo: s.say(thread, "What shall I do?")}, adapters.Replied)
	}
	chosen := s.post(thread, "")
	chosen.Files = []Upload{spoken}
	chosen.Files[0].Voice = false
	if m := e.write(chosen).Message; len(m.Files) != 1 || m.Files[0].Voice {
		s.Errorf("a sound that was sent as a file was received as %+v", m.Files)
	}
}
