package discordtest

import "context"

// AwaitConnected returns when a session is connected that hears what happens from now on.
func (s *Server) AwaitConnected(ctx context.Context) error {
	return s.Await(ctx, func() bool { return s.Connections() > 0 })
}

// Connections counts the gateway's connections with a session.
func (s *Server) Connections() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		if x.conn != nil {
			n++
		}
	}
	return n
}

// Identifies counts the sessions that were begun.
func (s *Server) Identifies() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identified
}

// Resumes counts the sessions that were taken up again.
func (s *Server) Resumes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resumed
}

// Intents are those of the session that was begun last.
func (s *Server) Intents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastIntents
}

// Revoke lets the token be taken no longer: 401, and 4004 by the gateway.
func (s *Server) Revoke() {
	s.do(func() {
		s.revoked = true
		s.closeAll(closeBadToken)
	})
}

// MissingIntent withholds the intent to read what people write: sessions that have it end
// with 4014, and so do new ones that want it.
func (s *Server) MissingIntent() {
	s.do(func() {
		s.content = false
		for id, x := range s.sessions {
			if x.intents&intentContent == 0 {
				continue
			}
			if c := x.conn; c != nil {
				s.detach(c, false)
				c.end(closeForbiddenIntents)
			}
			delete(s.sessions, id)
		}
	})
}

// Drop closes the gateway's connections with a code. Their sessions can be taken up again
// where Discord says so of the code.
func (s *Server) Drop(code int) { s.do(func() { s.closeAll(code) }) }

func (s *Server) closeAll(code int) {
	for c := range s.conns {
		s.detach(c, resumable(code))
		c.end(code)
	}
}

// CutOff ends the gateway's connections without a word.
func (s *Server) CutOff() {
	s.do(func() {
		for c := range s.conns {
			s.detach(c, true)
			closeQuietly(c.ws.NetConn())
		}
	})
}

// RefuseGateway lets the gateway take no connection, or take them again.
func (s *Server) RefuseGateway(refused bool) { s.do(func() { s.shut = refused }) }

// Reconnect asks to connect anew (7).
func (s *Server) Reconnect() {
	s.do(func() {
		for c := range s.conns {
			c.send(control(opReconnect, nil))
			s.detach(c, true)
		}
	})
}

// InvalidSession tells that the sessions are not valid (9). Where they are not resumable they
// are gone.
func (s *Server) InvalidSession(resumable bool) {
	s.do(func() {
		for c := range s.conns {
			c.send(control(opInvalidSession, resumable))
			s.detach(c, resumable)
		}
	})
}
