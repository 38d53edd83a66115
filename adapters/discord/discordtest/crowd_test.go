package discordtest_test

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters/discord/discordtest"
)

// TestCrowd lets many people write while the connection keeps breaking: each message is received once, in the
// order of its channel.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const people, each = 10, 50
	s := newScene(t, discordtest.Options{})
	w := dial(t, s.Server)
	w.identify(s.Token(), least|discordgo.IntentMessageContent)
	session := w.ready()
	var crowd sync.WaitGroup
	for range people {
		thread := s.People.Thread(s.channel, s.say("a thread").ID, "a thread", s.ana)
		crowd.Go(func() {
			for i := range each {
				s.People.Say(discordtest.Post{Channel: thread, By: s.ana, Content: strconv.Itoa(i)})
			}
		})
	}
	heard, seq := map[string]int{}, int64(0)
	for total := 0; total < people*each; {
		f := w.next()
		if f == nil {
			w = dial(t, s.Server)
			w.send(6, map[string]any{"token": s.Token(), "session_id": session, "seq": seq})
			continue
		}
		if f.Op != 0 {
			continue
		}
		if f.Seq <= seq {
			t.Fatalf("sequence number %d after %d", f.Seq, seq)
		}
		seq = f.Seq
		var m struct {
			Channel string `json:"channel_id"`
			Content string `json:"content"`
			Type    int    `json:"type"`
		}
		if err := json.Unmarshal(f.Data, &m); err != nil {
			t.Fatal(err)
		}
		if f.Kind != "MESSAGE_CREATE" || m.Channel == s.channel || m.Type != 0 {
			continue
		}
		if m.Content != strconv.Itoa(heard[m.Channel]) {
			t.Errorf("received %s as number %d", m.Content, heard[m.Channel])
		}
		heard[m.Channel]++
		if total++; total%40 == 0 {
			s.Gateway.CutOff()
		}
	}
	crowd.Wait()
	if s.Gateway.Identifies() != 1 || s.Gateway.Resumes() == 0 {
		t.Errorf("%d sessions started and %d resumed", s.Gateway.Identifies(), s.Gateway.Resumes())
	}
}
