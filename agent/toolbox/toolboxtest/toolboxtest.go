// Package toolboxtest is the contract test suite for implementations of [toolbox.Backend].
package toolboxtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Use is a candidate with a call for it.
type Use struct {
	Candidate toolbox.Candidate
	// Call is complete except for its Dir, which the suite sets.
	Call toolbox.Call
}

// Make is the implementation under test.
type Make struct {
	Backend toolbox.Backend
	// Good always succeeds.
	Good Use
	// Bad fails because of its input.
	Bad Use
	// Unknown is a backing that the backend does not have.
	Unknown toolbox.Candidate
	// Slow runs until it is cancelled. Started receives once it has started, and Stopped, which may be
	// nil, once its job has been cancelled. Nil if the backend has no long-running work.
	Slow             *Use
	Started, Stopped <-chan struct{}
	// Down is the same backend without its server or programs. Nil if it needs none.
	Down toolbox.Backend
}

// Contract runs the suite.
func Contract(t *testing.T, m Make) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp) // to detect leftovers

	t.Run("known backings are live, unknown ones are not", func(t *testing.T) {
		if err := m.Backend.Probe(t.Context(), m.Good.Candidate); err != nil {
			t.Errorf("a known backing: %v", err)
		}
		for what, err := range map[string]error{
			"probe": m.Backend.Probe(t.Context(), m.Unknown),
			"run":   errorOf(m.Backend.Run(t.Context(), m.Unknown, in(t, m.Good.Call))),
		} {
			says(t, what, err, "")
		}
	})
	t.Run("outputs are in the call's folder, and inputs are unchanged", func(t *testing.T) {
		before := sums(t, m.Good.Call)
		call := in(t, m.Good.Call)
		out, err := m.Backend.Run(t.Context(), m.Good.Candidate, call)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, call, out)
		if after := sums(t, m.Good.Call); after != before {
			t.Error("an input was changed")
		}
	})
	t.Run("it is safe for concurrent use", func(t *testing.T) {
		var all sync.WaitGroup
		for range 4 {
			call := in(t, m.Good.Call)
			all.Go(func() {
				out, err := m.Backend.Run(t.Context(), m.Good.Candidate, call)
				if err != nil {
					t.Error(err)
					return
				}
				holds(t, call, out)
			})
		}
		all.Wait()
	})
	t.Run("a bad input is not the backend's fault", func(t *testing.T) {
		call := in(t, m.Bad.Call)
		_, err := m.Backend.Run(t.Context(), m.Bad.Candidate, call)
		says(t, "run", err, call.Dir)
		if errors.Is(err, toolbox.ErrDown) || errors.Is(err, toolbox.ErrLoading) {
			t.Errorf("it blames itself: %v", err)
		}
	})
	t.Run("it does nothing after its context has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Backend.Run(ctx, m.Good.Candidate, in(t, m.Good.Call)); err == nil && lasts(m) {
			t.Error("it went on")
		}
	})
	if lasts(m) {
		t.Run("it stops when cancelled", m.stops)
	}
	if m.Down != nil {
		t.Run("it is down without its server or programs", m.isDown)
	}
	t.Run("nothing is left behind", func(t *testing.T) {
		left, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			if !strings.HasPrefix(e.Name(), "Test") && !strings.HasPrefix(e.Name(), "go-") { // folders of the tests themselves
				t.Errorf("%s is left in the temporary folder", e.Name())
			}
		}
	})
}

func (m Make) stops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	call := in(t, m.Slow.Call)
	go func() { ended <- errorOf(m.Backend.Run(ctx, m.Slow.Candidate, call)) }()
	<-m.Started
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was not stopped")
	}
	if m.Stopped != nil {
		<-m.Stopped
	}
}

func (m Make) isDown(t *testing.T) {
	says(t, "probe", m.Down.Probe(t.Context(), m.Good.Candidate), "")
	_, err := m.Down.Run(t.Context(), m.Good.Candidate, in(t, m.Good.Call))
	says(t, "run", err, "")
	if !errors.Is(err, toolbox.ErrDown) {
		t.Errorf("it blames the input: %v", err)
	}
}

func lasts(m Make) bool { return m.Slow != nil }

func errorOf(_ toolbox.Output, err error) error { return err }

// in returns the call with a folder of its own.
func in(t *testing.T, c toolbox.Call) toolbox.Call {
	t.Helper()
	c.Dir = t.TempDir()
	return c
}

// says checks that an error has a sentence for people that does not contain the path.
func says(t *testing.T, what string, err error, path string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: want an error", what)
		return
	}
	sentence := plan.Sentence(err, plan.Message{}).String()
	if sentence == "" || path != "" && strings.Contains(sentence, path) {
		t.Errorf("%s: people read %q", what, sentence)
	}
}

// holds checks that an output is not empty and is in the call's folder.
func holds(t *testing.T, c toolbox.Call, out toolbox.Output) {
	t.Helper()
	for _, o := range append([]toolbox.Output{out}, out.More...) {
		if o.Path == "" && o.Value == "" {
			t.Error("an output is empty")
		}
		if o.Path == "" {
			continue
		}
		rel, err := filepath.Rel(c.Dir, o.Path)
		if info, e := os.Stat(o.Path); err != nil || !filepath.IsLocal(rel) || e != nil || info.Size() == 0 {
			t.Errorf("an output is at %s: %v, %v", o.Path, err, e)
		}
	}
}

// sums hashes the contents of the inputs.
func sums(t *testing.T, c toolbox.Call) (sum [sha256.Size]byte) {
	t.Helper()
	for _, values := range c.Args {
		for _, v := range values {
			if v.Path == "" {
				continue
			}
			b, err := os.ReadFile(v.Path)
			if err != nil {
				t.Fatal(err)
			}
			one := sha256.Sum256(b)
			for i := range sum { // order-independent
				sum[i] ^= one[i]
			}
		}
	}
	return sum
}

// Typed returns the call as the toolbox passes it to a backend, with the texts of parameters parsed.
// It fails on the first text that cannot be parsed.
func Typed(t *testing.T, b toolbox.Backing, c toolbox.Call) (toolbox.Call, error) {
	t.Helper()
	catalogue, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range catalogue.Tools() {
		runs := func(o toolbox.Backing) bool { return o.Kind == b.Kind && o.Run == b.Run }
		if slices.ContainsFunc(tool.Backends, runs) {
			return tool.Typed(c)
		}
	}
	return c, nil
}

// Published returns candidates as another process with the same catalogue publishes them.
func Published(c *toolbox.Catalogue, able map[string][]plan.Candidate) map[string][]plan.Candidate {
	told := map[string][]plan.Candidate{}
	for tool, candidates := range able {
		for _, candidate := range candidates {
			candidate.Entry = c.Hash(tool)
			told[tool] = append(told[tool], candidate)
		}
	}
	return told
}

// Through redirects every request to another server, whose base URL is To.
type Through struct {
	To   string
	With http.RoundTripper
}

// RoundTrip sends a request.
func (r Through) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := url.Parse(r.To)
	if err != nil {
		return nil, fmt.Errorf("redirect a request: %w", err)
	}
	again := req.Clone(req.Context())
	again.URL.Scheme, again.URL.Host, again.Host = to.Scheme, to.Host, ""
	return r.With.RoundTrip(again) //nolint:wrapcheck // a transport returns its errors as they are
}
