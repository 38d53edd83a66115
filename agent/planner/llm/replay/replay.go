// Package replay records a model's answers and replays them, so that a run with a real model can be
// repeated without one.
//
// Guarantees:
//   - A request is one file, <id>.json, with its exchanges by job and round: the model, the
//     variable texts, a hash of all messages, and the answer. Keys, headers and media are not
//     recorded.
//   - Files are replaced atomically, by a rename: a crash leaves either the old or the new one.
//   - Only responses with status 200 and a choice are recorded, not the failed attempts before
//     them.
//   - A damaged file is an error, with its name, when the recordings are opened.
//   - It is safe for concurrent use within one process; two processes must not record into the same
//     folder.
//
// A call's label identifies its exchange ([endpoint.Label]). [Recordings.Server] finds it by its
// texts instead.
package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Recordings are the files of a folder.
type Recordings struct {
	dir string

	mu       sync.Mutex
	requests map[string][]Exchange
	begun    map[string]bool // requests that were recorded since Open
	stale    map[string]bool // labels
	about    About
	failed   error // the first failure to write; nothing is asked after it
}

// About describes what the recordings were made with, so that results can mention it.
type About struct {
	// Model is the model that answered, Decomposer the one that split the requests, if different.
	Model      string `json:"model"`
	Decomposer string `json:"decomposer,omitempty"`
	// Prompts are the versions of the prompts, by job.
	Prompts map[string]string `json:"prompts,omitempty"`
	// Catalogue is the version of the tools.
	Catalogue string `json:"catalogue,omitempty"`
	// Context is the context size in tokens; 0 if unknown.
	Context int `json:"context,omitempty"`
	// WithoutPrior reports whether the tool hints were omitted from the prompts.
	WithoutPrior bool `json:"without_prior_knowledge"`
}

// Equal reports whether answers recorded with a and b may be in the same folder.
func (a About) Equal(b About) bool {
	return a.Model == b.Model && a.Decomposer == b.Decomposer && a.Catalogue == b.Catalogue &&
		a.Context == b.Context && a.WithoutPrior == b.WithoutPrior && maps.Equal(a.Prompts, b.Prompts)
}

// Open reads the recordings of a folder. If the folder does not exist there are none, and it is
// created with the first recording.
func Open(dir string) (*Recordings, error) {
	r := &Recordings{
		dir:      dir,
		requests: map[string][]Exchange{},
		begun:    map[string]bool{},
		stale:    map[string]bool{},
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open recordings: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".") {
			if err := r.load(name); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// Requests returns the ids of the recorded requests, sorted.
func (r *Recordings) Requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]string, 0, len(r.requests))
	for id := range r.requests {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Models returns the names of the models that answered, sorted.
func (r *Recordings) Models() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := map[string]bool{}
	for _, exchanges := range r.requests {
		for _, e := range exchanges {
			names[e.Model] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Answer returns the exchange of a request's job in a round, if it is recorded.
func (r *Recordings) Answer(request, job string, round int) (Exchange, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	exchanges := r.requests[request]
	if i := find(exchanges, job, round); i >= 0 {
		return exchanges[i], true
	}
	return Exchange{}, false
}

// Keep records an exchange, given the bodies of a chat completion request and its response. The
// first exchange of a request since Open replaces those of earlier runs; an exchange with the same
// job and round is replaced. Responses without a choice are not recorded.
func (r *Recordings) Keep(request, job string, round int, asked, answered []byte) error {
	if request == "" {
		return errors.New("record an exchange: no request")
	}
	q, err := parseQuestion(asked)
	if err != nil {
		return err
	}
	e, ok := parseAnswer(answered)
	if !ok {
		return nil
	}
	e.Job, e.Round = job, round
	e.Model, e.User, e.Messages = q.Model, q.user(), q.hash()
	if err := e.check(); err != nil {
		return fmt.Errorf("record %s/%s/%d: %w", request, job, round, err)
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return r.failed
	}
	var exchanges []Exchange
	if r.begun[request] {
		exchanges = slices.Clone(r.requests[request])
	}
	if i := find(exchanges, job, round); i >= 0 {
		exchanges[i] = e
	} else {
		exchanges = append(exchanges, e)
	}
	if err := r.write(fileName(request), file{Request: request, Exchanges: exchanges}); err != nil {
		r.failed = fmt.Errorf("record %s: %w", request, err)
		return r.failed
	}
	r.requests[request] = exchanges
	r.begun[request] = true
	return nil
}

// Stale returns the sorted labels of the answers that were replayed for other messages than they
// were recorded for: the prompt, the catalogue or the request has changed, and they should be
// recorded again.
func (r *Recordings) Stale() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	labels := make([]string, 0, len(r.stale))
	for label := range r.stale {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	return labels
}

// About returns what the recordings were made with; zero if unknown.
func (r *Recordings) About() (About, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.about.clone(), nil
}

// SetAbout stores what the recordings are made with.
func (r *Recordings) SetAbout(a About) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.write(index, a); err != nil {
		return fmt.Errorf("write the index of the recordings: %w", err)
	}
	r.about = a.clone()
	return nil
}

// exchanges returns the recorded exchanges of a request.
func (r *Recordings) exchanges(request string) []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests[request])
}

// load reads one file of the folder.
func (r *Recordings) load(name string) error {
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		return fmt.Errorf("open recordings: %w", err)
	}
	if name == index {
		r.about, err = decodeAbout(data)
	} else {
		var f file
		if f, err = decodeFile(data); err == nil && name != fileName(f.Request) {
			err = fmt.Errorf("the file name of request %q must be %s", f.Request, fileName(f.Request))
		}
		r.requests[f.Request] = f.Exchanges
	}
	if err != nil {
		return fmt.Errorf("recording %s is damaged: %w", filepath.Join(r.dir, name), err)
	}
	return nil
}

// failure returns the first write error.
func (r *Recordings) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// mark records that an exchange was replayed for other messages.
func (r *Recordings) mark(request, job string, round int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stale[fmt.Sprintf("%s/%s/%d", request, job, round)] = true
}

func find(exchanges []Exchange, job string, round int) int {
	return slices.IndexFunc(exchanges, func(e Exchange) bool { return e.Job == job && e.Round == round })
}
