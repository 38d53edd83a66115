package storage

// waiting is the maximum number of unread hints, including the nil for lost ones.
const waiting = 64

// Hints is the channel of a subscriber, for implementations of [State]. Sending to it never blocks.
// Calls must not be concurrent.
type Hints struct {
	// C is what [State.Subscribe] returns.
	C    chan []byte
	lost bool // whether the last element of the channel is the nil
}

// NewHints returns an empty channel.
func NewHints() *Hints { return &Hints{C: make(chan []byte, waiting)} }

// Give sends a hint, or the nil if the reader is too slow.
func (h *Hints) Give(hint []byte) {
	if len(h.C) < waiting-1 { // the last place is reserved for the nil
		h.C <- hint
		h.lost = false
	} else if !h.lost {
		h.Lose()
	}
}

// Lose reports lost hints. There is always room for that: either the last place is free, or it
// holds an unread nil, which means the same.
func (h *Hints) Lose() {
	select {
	case h.C <- nil:
		h.lost = true
	default:
	}
}
