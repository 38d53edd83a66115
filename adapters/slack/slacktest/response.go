package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
)

// responseURL is where the bot may answer an interaction.
type responseURL struct {
	channel, threadTS, user string
	message                 string // the one that was pressed; "" for none
	used                    int
}

// maxUses is how often a response URL is answered.
// https://docs.slack.dev/interactivity/handling-user-interaction
const maxUses = 5

func (s *Server) newResponse(c *channelState, m *messageState, threadTS, user string) string {
	r := &responseURL{channel: c.id, user: user, threadTS: threadTS}
	if m != nil {
		r.message = m.ts
		if m.threadTS != m.ts {
			r.threadTS = m.threadTS
		}
	}
	id := s.id("RU")
	s.responses[id] = r
	return s.http.URL + "/actions/" + id
}

func (s *Server) serveResponse(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Text         string          `json:"text"`
		Blocks       json.RawMessage `json:"blocks"`
		ResponseType string          `json:"response_type"`
		ThreadTS     string          `json:"thread_ts"`
		Replace      bool            `json:"replace_original"`
		Delete       bool            `json:"delete_original"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil || json.Unmarshal(body, &said) != nil {
		http.Error(w, "invalid_payload", http.StatusBadRequest)
		return
	}
	status, word := http.StatusOK, "ok"
	s.change(func() {
		to := s.responses[r.PathValue("id")]
		s.count(Call{Method: "response_url", Status: http.StatusOK})
		switch {
		case to == nil:
			status, word = http.StatusNotFound, "expired_url"
			return
		case to.used >= maxUses:
			status, word = http.StatusNotFound, "used_url"
			return
		}
		to.used++
		c := s.channels[to.channel]
		if said.ThreadTS == "" {
			said.ThreadTS = to.threadTS
		}
		own := c.get(to.message)
		switch {
		case said.Delete && own != nil:
			s.drop(c, own)
		case said.Replace && own != nil:
			before := s.bare(c, own)
			own.text, own.blocks = said.Text, said.Blocks
			s.touch(own, botUser)
			s.tellChanged(c, own, before)
		case said.ResponseType == "in_channel":
			s.postAs(c, &messageState{user: botUser, botID: botID, text: said.Text, blocks: said.Blocks, threadTS: said.ThreadTS})
		default:
			s.ephemeral = append(s.ephemeral, Ephemeral{
				Channel: c.id, ThreadTS: said.ThreadTS, User: to.user, Text: said.Text, Blocks: said.Blocks,
				ResponseURL: s.http.URL + r.URL.Path, Replaced: said.Replace, Deleted: said.Delete,
			})
		}
	})
	w.WriteHeader(status)
	_, _ = io.WriteString(w, word) //nolint:errcheck // the client has gone
}

func (s *Server) ephemeralsOf(user string) []Ephemeral {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.ephemeral), func(e Ephemeral) bool { return e.User != user })
}
