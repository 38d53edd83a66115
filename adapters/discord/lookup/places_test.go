package lookup

import (
	"fmt"
	"testing"
)

// Archived threads, and servers that the bot has left, are forgotten.
func TestForgetsPlaces(t *testing.T) {
	t.Parallel()
	p := NewPlaces(nil, nil)
	for i := range 100 {
		p.Learn("THREAD_CREATE", fmt.Appendf(nil, `{"id":"%d","guild_id":"1","parent_id":"2","type":11}`, i+10))
		if i%2 == 0 {
			p.Learn("THREAD_UPDATE", fmt.Appendf(nil, `{"id":"%d","guild_id":"1","parent_id":"2","type":11,"thread_metadata":{"archived":true}}`, i+10))
		}
	}
	if len(p.channels) != 50 {
		t.Errorf("%d threads are known", len(p.channels))
	}
	p.Learn("GUILD_DELETE", []byte(`{"id":"1"}`))
	if len(p.channels) != 0 {
		t.Errorf("%d threads are known of a server that was left", len(p.channels))
	}
}
