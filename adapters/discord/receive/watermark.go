package receive

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/outbox"
)

const (
	markKey     = "heard-" + convert.Name + "/mark"
	markFor     = 30 * 24 * time.Hour
	maxChannels = 300 // channels with recent messages that are remembered
	nothing     = -1  // received
)

// watermark is the message up to which all were accepted, so that missed ones can be read.
type watermark struct {
	state outbox.State
	log   *slog.Logger

	mu       sync.Mutex
	latest   int64         // of all received messages
	open     map[int64]int // messages that are not accepted yet, or that may have been missed
	channels map[string]*channel
	last     mark   // of an earlier Run
	saved    []byte // what was saved last
}

// channel is a channel with recent messages.
type channel struct {
	guild  string
	latest int64
}

// mark is a stored watermark.
type mark struct {
	Own      string            `json:"own"` // id of the bot: another bot has received nothing
	Since    int64             `json:"since,string"`
	Channels map[string]string `json:"channels"` // their servers, "" for direct channels
}

func newWatermark(state outbox.State, log *slog.Logger) *watermark {
	return &watermark{state: state, log: log, latest: nothing, open: map[int64]int{}, channels: map[string]*channel{}}
}

// load reads the mark of an earlier Run. It fails only if the context ends.
func (w *watermark) load(ctx context.Context, b api.Backoff) error {
	return b.Retry(ctx, func() (bool, error) {
		saved, err := w.state.Get(ctx, markKey)
		switch {
		case err == nil:
			if json.Unmarshal(saved, &w.last) != nil {
				w.log.WarnContext(ctx, "the stored watermark was not understood: messages since then are missed")
				w.last = mark{}
			}
			return true, nil
		case errors.Is(err, adapters.ErrGone):
			return true, nil
		}
		w.log.WarnContext(ctx, "the stored watermark was not read", "error", err)
		return false, err
	})
}

// resume continues from the loaded mark, if it is the same bot's.
func (w *watermark) resume(self string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last.Own != self || w.latest != nothing {
		return
	}
	w.latest = w.last.Since
	for id, guild := range w.last.Channels {
		w.channels[id] = &channel{guild, w.last.Since}
	}
}

// since returns the last message before the first one not accepted, or nothing.
func (w *watermark) since() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.low()
}

func (w *watermark) low() int64 {
	low := w.latest
	for id := range w.open {
		low = min(low, id-1)
	}
	return low
}

// begin records that a message was received. It counts as accepted when taken is called.
func (w *watermark) begin(m *convert.Message) (taken func()) {
	id := convert.Order(m.ID)
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channels[m.Channel]
	if c == nil {
		w.forget()
		c = &channel{guild: m.Guild}
		w.channels[m.Channel] = c
	}
	c.latest = max(c.latest, id)
	w.latest = max(w.latest, id)
	return w.keep(id)
}

// hold keeps the watermark at a message until release is called.
func (w *watermark) hold(after int64) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keep(after + 1)
}

func (w *watermark) keep(id int64) func() {
	w.open[id]++
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open[id]--; w.open[id] == 0 {
			delete(w.open, id)
		}
	})
}

// skip records a message that need not be received.
func (w *watermark) skip(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latest = max(w.latest, id)
}

// forget drops the channels with the oldest messages, if there are many.
func (w *watermark) forget() {
	if len(w.channels) < maxChannels+maxChannels/10 {
		return
	}
	all := slices.SortedFunc(maps.Keys(w.channels), func(a, b string) int { return int(w.channels[b].latest - w.channels[a].latest) })
	for _, id := range all[maxChannels:] {
		delete(w.channels, id)
	}
}

// known returns the channels of a server with recent messages; "" stands for direct ones.
func (w *watermark) known(guild string) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]bool{}
	for id, c := range w.channels {
		if c.guild == guild {
			all[id] = true
		}
	}
	return all
}

// save stores the watermark if it has changed, and reports whether that worked.
func (w *watermark) save(ctx context.Context, self string) bool {
	w.mu.Lock()
	m := mark{Own: self, Since: w.low(), Channels: map[string]string{}}
	for id, c := range w.channels {
		m.Channels[id] = c.guild
	}
	last := w.saved
	w.mu.Unlock()
	if self == "" || m.Since == nothing {
		return true
	}
	b, err := json.Marshal(m)
	if err == nil && slices.Equal(b, last) {
		return true
	}
	if err == nil {
		err = w.state.Put(ctx, markKey, b, markFor)
	}
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) {
			w.log.WarnContext(ctx, "the watermark was not saved", "error", err)
		}
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saved = b
	return true
}
