package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
)

const (
	markKey  = "heard-" + Name + "/mark"
	markKept = 30 * 24 * time.Hour
	// mostChannels is how many channels are remembered in which something was written.
	mostChannels = 300
	nothing      = -1 // heard, ever
)

// mark is up to which message all were taken, so that what comes after it can be read when
// it was missed. It is safe for several goroutines.
type mark struct {
	mu       sync.Mutex
	latest   int64            // of all messages that were heard
	open     map[int64]int    // messages that are not taken yet, or may not have been heard
	channels map[string]*spot // in which something was written lately
	kept     []byte           // what was written down last
}

// spot is a channel in which something was written.
type spot struct {
	guild  string
	latest int64
}

// record is a mark as it is kept.
type record struct {
	Own      string            `json:"own"` // the bot's id: another bot has heard nothing of this
	Since    int64             `json:"since,string"`
	Channels map[string]string `json:"channels"` // their servers, "" where they are direct
}

func newMark() *mark {
	return &mark{latest: nothing, open: map[int64]int{}, channels: map[string]*spot{}}
}

// resume goes on from what was kept, if the same bot has.
func (k *mark) resume(r record, own string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.Own != own || k.latest != nothing {
		return
	}
	k.latest = r.Since
	for channel, guild := range r.Channels {
		k.channels[channel] = &spot{guild, r.Since}
	}
}

// since is the last message before the first that was not taken, or nothing.
func (k *mark) since() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.low()
}

func (k *mark) low() int64 {
	low := k.latest
	for id := range k.open {
		low = min(low, id-1)
	}
	return low
}

// begin notes that a message was written. It is taken once what it gives is called.
func (k *mark) begin(m *message) (taken func()) {
	id := order(m.ID)
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.channels[m.Channel]
	if s == nil {
		k.forget()
		s = &spot{guild: m.Guild}
		k.channels[m.Channel] = s
	}
	s.latest = max(s.latest, id)
	k.latest = max(k.latest, id)
	return k.keep(id)
}

// hold keeps the mark from going beyond a message until what it gives is called.
func (k *mark) hold(after int64) (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keep(after + 1)
}

func (k *mark) keep(id int64) func() {
	k.open[id]++
	return sync.OnceFunc(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.open[id]--; k.open[id] == 0 {
			delete(k.open, id)
		}
	})
}

// pass notes a message that needs not be heard.
func (k *mark) pass(id int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.latest = max(k.latest, id)
}

// forget forgets the channels in which nothing was written for long, where there are many.
func (k *mark) forget() {
	if len(k.channels) < mostChannels+mostChannels/10 {
		return
	}
	all := slices.SortedFunc(maps.Keys(k.channels), func(a, b string) int { return int(k.channels[b].latest - k.channels[a].latest) })
	for _, id := range all[mostChannels:] {
		delete(k.channels, id)
	}
}

// known are the channels of a server in which something was written, "" is the direct ones.
func (k *mark) known(guild string) map[string]bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := map[string]bool{}
	for channel, s := range k.channels {
		if s.guild == guild {
			all[channel] = true
		}
	}
	return all
}

// recall reads the mark of an earlier Listen. It fails only where the context ends.
func (d *Discord) recall(ctx context.Context) (record, error) {
	var r record
	for wait := d.waits.first; ; wait = min(2*wait, d.waits.longest) {
		b, err := d.config.State.Get(ctx, markKey)
		if err == nil {
			if json.Unmarshal(b, &r) != nil {
				d.log.WarnContext(ctx, "what was heard last cannot be read: what was written since is not looked for")
				r = record{}
			}
			return r, nil
		}
		if errors.Is(err, adapters.ErrGone) {
			return r, nil
		}
		d.log.WarnContext(ctx, "what was heard last cannot be told yet", "error", err)
		if err := sleep(ctx, wait); err != nil {
			return r, err
		}
	}
}

// write keeps the mark, if it has changed.
func (k *mark) write(ctx context.Context, d *Discord, own string) error {
	k.mu.Lock()
	r := record{Own: own, Since: k.low(), Channels: map[string]string{}}
	for channel, s := range k.channels {
		r.Channels[channel] = s.guild
	}
	last := k.kept
	k.mu.Unlock()
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	if own == "" || r.Since == nothing || slices.Equal(b, last) {
		return nil
	}
	if err := d.config.State.Put(ctx, markKey, b, markKept); err != nil {
		return fmt.Errorf("discord: keep what was heard: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = b
	return nil
}
