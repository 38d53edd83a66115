// Package progress shows the current activity on one line of a terminal.
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

// Line shows the current activity and its duration at the bottom of a terminal. It is redrawn a few times
// per second, so that short activities do not flicker, and erased by Close. A nil Line does nothing.
type Line struct {
	w       io.Writer
	columns func() int

	mu    sync.Mutex
	doing string
	since time.Time
	about string
	shown string // what the terminal shows
	gone  bool   // writing to the terminal failed

	once  sync.Once
	stop  chan struct{}
	ended chan struct{}
}

// redraw is the interval of drawing.
const redraw = 200 * time.Millisecond

// spare is the number of columns that stay free: a terminal prints ^C on an interrupt, and some scroll
// when the last column is full. A wrapped line could not be erased.
const spare = 3

// New returns a line that is drawn on w until Close. columns returns the terminal's current width.
func New(w io.Writer, columns func() int) *Line {
	p := &Line{w: w, columns: columns, stop: make(chan struct{}), ended: make(chan struct{})}
	go p.run()
	return p
}

// Write writes above the line, as the log does. The line reappears at the next drawing.
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

// Close erases the line and stops drawing. It may be called twice.
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

// Tell changes the text of the line. The time shown is that since doing changed.
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

// clearToEnd erases to the end of the line (ECMA-48, EL).
const clearToEnd = "\x1b[K"

// cut shortens a line to most characters, but at least one.
func cut(line string, most int) string {
	if r := []rune(line); len(r) > max(most, 1) {
		return string(r[:max(most, 1)-1]) + "…"
	}
	return line
}

// Stage shows the stage of planning or answering that begins.
func (p *Line) Stage(_ string, s plan.Stage) {
	const thinking = "Thinking"
	switch s {
	case plan.Decomposing:
		p.Tell(thinking, "understanding the request")
	case plan.Assessing:
		p.Tell(thinking, "weighing the tools")
	case plan.Searching:
		p.Tell(thinking, "searching for solutions")
	case plan.Settling:
		p.Tell(thinking, "choosing the solution")
	case plan.Responding:
		p.Tell("Writing the answer", "")
	default:
		p.Tell(thinking, string(s))
	}
}

// Report shows the steps that are running. Without any, [Line.Stage] sets the text.
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

// draw redraws the line if it has changed.
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

// put writes to the terminal, and stops all output after an error.
func (p *Line) put(s string) {
	if _, err := io.WriteString(p.w, s); err != nil {
		p.gone = true
	}
}
