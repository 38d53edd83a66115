package record

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/storage"
)

// ErrUnknown means that the request, run or solution does not exist.
var ErrUnknown = errors.New("not found")

// StoreConfig configures a [Store].
type StoreConfig struct {
	State storage.State
	Blobs storage.Blobs
	// Retention is how long requests and threads are kept after their last use.
	Retention time.Duration
	// Deadline is how long a request may run once its turn in the thread has come.
	Deadline time.Duration
	Now      func() time.Time
}

// Store reads and writes the records of requests and threads. It is safe for concurrent use.
type Store struct {
	Logs  *Logs
	Texts *Texts

	config StoreConfig
}

// cachedLogs is how many logs a process caches.
const cachedLogs = 512

// NewStore returns a store of the parts in c.
func NewStore(c StoreConfig) *Store {
	return &Store{Logs: newLogs(c.State, c.Retention, cachedLogs, c.Now), Texts: newTexts(c.Blobs), config: c}
}

// Request reads a request. It fails with [ErrUnknown] if there is none.
func (s *Store) Request(ctx context.Context, id string) (*Request, error) {
	entries, err := s.Logs.Read(ctx, RequestLog(id))
	if err != nil {
		return nil, err
	}
	return foldKnown(id, entries)
}

// Write adds an entry to a request's log, and returns the request with it.
func (s *Store) Write(ctx context.Context, id string, e Entry) (*Request, error) {
	entries, _, err := s.Logs.AppendRead(ctx, RequestLog(id), e)
	if err != nil {
		return nil, err
	}
	return foldKnown(id, entries) // forgotten meanwhile?
}

func foldKnown(id string, entries []*Entry) (*Request, error) {
	r, err := FoldRequest(id, entries)
	if err == nil && (r == nil || r.Asked == nil) {
		err = fmt.Errorf("request %s: %w", id, ErrUnknown)
	}
	return r, err
}

// Thread reads a thread.
func (s *Store) Thread(ctx context.Context, id string) (*Thread, error) {
	return s.ThreadAt(ctx, id, -1)
}

// ThreadAt reads a thread as it was after n entries; all of them if n is negative.
func (s *Store) ThreadAt(ctx context.Context, id string, n int) (*Thread, error) {
	entries, err := s.Logs.Read(ctx, ThreadLog(id))
	if err != nil {
		return nil, err
	}
	if n >= 0 && n < len(entries) {
		entries = entries[:n]
	}
	return FoldThread(id, entries), nil
}

// WriteThread adds an entry to a thread's log, and returns the thread with it.
func (s *Store) WriteThread(ctx context.Context, id string, e Entry) (*Thread, error) {
	entries, _, err := s.Logs.AppendRead(ctx, ThreadLog(id), e)
	if err != nil {
		return nil, err
	}
	return FoldThread(id, entries), nil
}

// Readable returns the entries of a log. Entries that cannot be decoded are empty, so that every log can be
// forgotten.
func (s *Store) Readable(ctx context.Context, key string) ([]*Entry, error) {
	raw, err := s.config.State.Read(ctx, key, 0)
	if err != nil {
		return nil, fmt.Errorf("read a log: %w", err)
	}
	entries := make([]*Entry, len(raw))
	for i, b := range raw {
		e, err := decodeEntry(b)
		if err != nil {
			e = &Entry{}
		}
		entries[i] = e
	}
	return entries, nil
}

// Remembered is what a message belongs to.
type Remembered struct {
	RunRef

	// Means is what a message says in place of a button, such as "choose 2", and By is its author; both are "" for other
	// messages. Its Run is what the message started or joined; 0 if it stopped something.
	Means string `json:"means,omitempty"`
	By    string `json:"by,omitempty"`
}

// Remember records the run that the messages of an answer, or of a request, belong to.
func (s *Store) Remember(ctx context.Context, ref adapters.MessageRef, of RunRef) error {
	return s.RememberAs(ctx, ref, Remembered{RunRef: of})
}

// RememberAs records what the messages belong to.
func (s *Store) RememberAs(ctx context.Context, ref adapters.MessageRef, of Remembered) error {
	b, err := json.Marshal(of)
	if err != nil {
		return fmt.Errorf("encode a message's run: %w", err)
	}
	for _, key := range ref.Keys() {
		if err := s.config.State.Put(ctx, messageKey(key), b, s.config.Retention); err != nil {
			return fmt.Errorf("record a message's run: %w", err)
		}
	}
	return nil
}

// Progress is how much of a running step is done.
type Progress struct {
	Percent int              `json:"percent"` // 0 if unknown
	Preview adapters.Preview `json:"preview,omitzero"`
}

// NoteProgress notes how much of a running step is done.
func (s *Store) NoteProgress(ctx context.Context, id string, generation int, step string, p Progress) error {
	b, err := json.Marshal(p)
	if err == nil {
		err = s.config.State.Put(ctx, progressKey(id, generation, step), b, s.config.Deadline)
	}
	if err != nil {
		return fmt.Errorf("note the progress of a step: %w", err)
	}
	return nil
}

// Progress returns how much of a running step is done; zero if unknown.
func (s *Store) Progress(ctx context.Context, id string, generation int, step string) (p Progress, err error) {
	b, err := s.config.State.Get(ctx, progressKey(id, generation, step))
	if errors.Is(err, storage.ErrNotFound) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read the progress of a step: %w", err)
	}
	return p, nil
}

// Recall returns what a message belongs to, false if the message is unknown.
func (s *Store) Recall(ctx context.Context, ref adapters.MessageRef) (of Remembered, ok bool, err error) {
	b, err := s.config.State.Get(ctx, messageKey(ref.Key()))
	if errors.Is(err, storage.ErrNotFound) {
		return of, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &of)
	}
	if err != nil {
		return of, false, fmt.Errorf("look up a message: %w", err)
	}
	return of, true, nil
}

// Unpacked returns a request with its texts instead of their blobs, for the agent and people. Entries for
// the log must be made from the packed request.
func (s *Store) Unpacked(ctx context.Context, r *Request) (*Request, error) {
	whole, changed := slices.Clone(r.Entries), false
	for i, e := range r.Entries {
		var err error
		if whole[i], err = s.Texts.unpackEntry(ctx, e); err != nil {
			return nil, err
		}
		changed = changed || whole[i] != e
	}
	if !changed {
		return r, nil
	}
	return FoldRequest(r.ID, whole)
}

// NameFiles claims readable names for the results of a run, and returns all names of the thread. The files that people
// get come first, then the others in the order of their steps. Concurrent claims count in the order of the log.
func (s *Store) NameFiles(ctx context.Context, r *Request, run *Run) (map[string]string, error) {
	wanted := wantedNames(run.Route)
	if len(wanted.Files) == 0 {
		return map[string]string{}, nil
	}
	id := ThreadID(r.Asked.Event.Thread)
	t, err := s.Thread(ctx, id)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(wanted.Files, func(f namedFile) bool { return t.files.names[f.Name] == "" }) {
		for _, given := range r.Given.Resources {
			if made := t.files.names[given.Name] != ""; given.File != "" && !made {
				wanted.Taken = append(wanted.Taken, given.File)
			}
		}
		if t, err = s.WriteThread(ctx, id, Entry{Claimed: wanted}); err != nil {
			return nil, err
		}
	}
	return maps.Clone(t.files.names), nil
}

// BeginTurn sets the deadline of a request whose turn has come, once among all processes.
func (s *Store) BeginTurn(ctx context.Context, id string) error {
	first, err := s.config.State.PutOnce(ctx, requestTurn(id), []byte{'t'}, s.config.Retention)
	if err == nil && first {
		err = s.ResetTime(ctx, id, 1)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin a turn: %w", err), s.config.State.Delete(ctx, requestTurn(id)))
	}
	return nil
}

// ResetTime sets a new deadline for a run. State's server expires a value at the deadline, so that a jump of
// a worker's clock closes no run.
func (s *Store) ResetTime(ctx context.Context, id string, run int) error {
	if err := s.config.State.Put(ctx, requestTime(id, run), []byte{'w'}, s.config.Deadline); err != nil {
		return fmt.Errorf("set the deadline: %w", err)
	}
	return nil
}

// EnsureTime sets a new deadline for a run if it has none or it has passed.
func (s *Store) EnsureTime(ctx context.Context, id string, run int) error {
	if _, err := s.config.State.PutOnce(ctx, requestTime(id, run), []byte{'w'}, s.config.Deadline); err != nil {
		return fmt.Errorf("set the deadline: %w", err)
	}
	return nil
}

// HasTime reports whether a run is within its deadline.
func (s *Store) HasTime(ctx context.Context, id string, run int) (bool, error) {
	_, err := s.config.State.Get(ctx, requestTime(id, run))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, storage.ErrNotFound):
		return false, nil
	}
	return false, fmt.Errorf("read the deadline: %w", err)
}

// IgnoreUnknown returns err unless it is [ErrUnknown].
func IgnoreUnknown(err error) error {
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	return err
}

// Keys of State. Each request and each thread is a group, which lies in one slot of a cluster and can be
// deleted at once.

const (
	// WorkersGroup is the group of the live processes.
	WorkersGroup = "workers"
	recentKey    = "/line" // suffix after the group of a day
)

// Hash returns a short hash of s: 16 lowercase letters and digits.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// RequestID is the id of the request that an event starts. A repeated event has the same id.
func RequestID(e adapters.Event) string { return Hash(e.Key()) }

// ThreadID is the id of a thread, as people see it.
func ThreadID(t adapters.Thread) string { return Hash(t.Key()) }

// RequestGroup returns the group, a key prefix in State, of a request.
func RequestGroup(id string) string { return "request-" + id }

// RequestLog is the key of a request's log.
func RequestLog(id string) string { return RequestGroup(id) + "/log" }

// progressKey is the key of the progress of a step.
func progressKey(id string, generation int, step string) string {
	return fmt.Sprintf("%s/step-%d-%s", RequestGroup(id), generation, Hash(step))
}

// requestTime is the key of a value that expires at a run's deadline.
func requestTime(id string, run int) string {
	return RequestGroup(id) + "/time-" + strconv.Itoa(run)
}

// requestTurn is the key of a value that exists once the request's turn has come.
func requestTurn(id string) string { return RequestGroup(id) + "/turn" }

// ThreadGroup is the group of a thread.
func ThreadGroup(id string) string { return "thread-" + id }

// ThreadLog is the key of a thread's log.
func ThreadLog(id string) string { return ThreadGroup(id) + "/log" }

// MessageGroup is the group of a message of a platform, by its key there.
func MessageGroup(key string) string { return "message-" + Hash(key) }

func messageKey(key string) string { return MessageGroup(key) + "/of" }

// WorkerKey is the key of a process.
func WorkerKey(id string) string { return WorkersGroup + "/" + id }

// ThreadFolder is the folder in Blobs that holds all media of a thread.
func ThreadFolder(thread string) string { return "threads/" + thread }

// SendKey is the key under which a run's answer is sent.
func SendKey(request string, run int) string {
	key := request + "-" + strconv.Itoa(run)
	if len(key) > adapters.MaxKey {
		key = Hash(key)
	}
	return key
}

// HeldFor is how long an event waits for its message to be recorded. The work of a process that dies is taken over
// within half a minute.
const HeldFor = 10 * time.Minute

func earlyKey(message string) string { return MessageGroup(message) + "/early" }

// HoldBack stores an event about a message that is not recorded yet.
func (s *Store) HoldBack(ctx context.Context, on adapters.MessageRef, e adapters.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an early event: %w", err)
	}
	if _, err := s.config.State.Append(ctx, earlyKey(on.Key()), b, HeldFor); err != nil {
		return fmt.Errorf("hold back an event: %w", err)
	}
	return nil
}

// HeldBack returns the events held back for a message and its parts, those of one part in their order.
func (s *Store) HeldBack(ctx context.Context, ref adapters.MessageRef) ([]adapters.Event, error) {
	var events []adapters.Event
	for _, key := range ref.Keys() {
		held, err := s.config.State.Read(ctx, earlyKey(key), 0)
		if err != nil {
			return nil, fmt.Errorf("read early events: %w", err)
		}
		for _, b := range held {
			var e adapters.Event
			if err := json.Unmarshal(b, &e); err != nil {
				return nil, fmt.Errorf("read an early event: %w", err)
			}
			events = append(events, e)
		}
	}
	return events, nil
}

// DropHeldBack deletes the events held back for a message.
func (s *Store) DropHeldBack(ctx context.Context, ref adapters.MessageRef) error {
	for _, key := range ref.Keys() {
		if err := s.config.State.Delete(ctx, earlyKey(key)); err != nil {
			return fmt.Errorf("delete early events: %w", err)
		}
	}
	return nil
}
