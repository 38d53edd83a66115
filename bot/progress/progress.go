// Package progress shows on one line of a terminal what is going on.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Line is a line at the bottom of a terminal that tells what is going on and for
// how long. It is drawn a few times a second, so that what is quick leaves no flicker,
// and erased in the end. A nil progress does nothing.
type Line struct {
	w       io.Writer
	columns func() int

	mu    sync.Mutex
	doing string
	since time.Time
	about string
	shown string // what stands on the terminal; empty if nothing does
	gone  bool   // the terminal takes nothing any more

	once  sync.Once
	stop  chan struct{}
	ended chan struct{}
}

// redraw is how often the line is drawn.
const redraw = 200 * time.Millisecond

// spare is how many columns stay free: a terminal adds ^C where it is interrupted, and
// some scroll when the last column is full. A line that went on in the next one could not
// be erased.
const spare = 3

// New draws on w until it is closed. columns is how wide the terminal is now.
func New(w io.Writer, columns func() int) *Line {
	p := &Line{w: w, columns: columns, stop: make(chan struct{}), ended: make(chan struct{})}
	go p.run()
	return p
}

// Write writes above the line, which comes back at the next drawing: the log goes
// through it.
func (p *Line) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	n, err := p.w.Write(b)
	if err != nil {
		return n, fmt.Errorf("write above the progress line: %w", err)
	}
	return n, nil
}

// Close erases the line; nothing is drawn after it. It may be called twice.
func (p *Line) Close() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		close(p.stop)
		<-p.ended
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
	})
}

// Tell changes what the line tells. The time is that since doing changed.
func (p *Line) Tell(doing, about string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if doing != p.doing {
		p.doing, p.since = doing, time.Now()
	}
	p.about = about
}

// clearToEnd empties the rest of a terminal's line (ECMA-48, EL).
const clearToEnd = "\x1b[K"

// cut shortens a line to so many signs, at least one.
func cut(line string, most int) string {
	if r := []rune(line); len(r) > max(most, 1) {
		return string(r[:max(most, 1)-1]) + "…"
	}
	return line
}

// Stage tells which stage of planning or answering begins.
func (p *Line) Stage(_ string, s plan.Stage) {
	const thinking = "Thinking"
	switch s {
	case plan.Decomposing:
		p.Tell(thinking, "understanding the wish")
	case plan.Assessing:
		p.Tell(thinking, "weighing the tools")
	case plan.Searching:
		p.Tell(thinking, "searching for ways")
	case plan.Settling:
		p.Tell(thinking, "choosing the way")
	case plan.Responding:
		p.Tell("Writing the answer", "")
	default:
		p.Tell(thinking, string(s))
	}
}

// Report tells which steps of a run are being done. While none is, what goes on is told by
// [Line.stage].
func (p *Line) Report(r adapters.Progress) {
	done, left := 0, 0
	var running []string
	for _, s := range r.Steps {
		switch s.State {
		case adapters.StepDone:
			done++
		case adapters.StepRunning:
			running = append(running, s.Text)
			left++
		case adapters.StepWaiting:
			left++
		default:
		}
	}
	if left == 0 || r.Ended {
		return
	}
	about := fmt.Sprintf("%d of %d done", done, len(r.Steps))
	p.Tell("Working", strings.Join(append([]string{about}, running...), ", "))
}

func (p *Line) run() {
	defer close(p.ended)
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		case <-p.stop:
			return
		}
	}
}

// draw brings the line up to date.
func (p *Line) draw() {
	if p.doing == "" || p.gone {
		return
	}
	line := fmt.Sprintf("%s… %d s", p.doing, int(time.Since(p.since).Seconds()))
	if p.about != "" {
		line += " (" + p.about + ")"
	}
	line = cut(line, p.columns()-spare)
	if line != p.shown {
		p.put("\r" + line + clearToEnd)
		p.shown = line
	}
}

func (p *Line) erase() {
	if p.shown != "" && !p.gone {
		p.put("\r" + clearToEnd)
		p.shown = ""
	}
}

// put writes to the terminal. One that does not take it is not written to again.
func (p *Line) put(s string) {
	if _, err := io.WriteString(p.w, s); err != nil {
		p.gone = true
	}
}
