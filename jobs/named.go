package jobs

import (
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
)

// Files that were made get readable names, each of which the thread has once. A run claims
// them in the thread's log before its answer is worded, so that the order of the log decides
// between runs that end at the same time.

// claim asks for readable names for what a run made.
type claim struct {
	Files []namedFile `json:"files"`
	// Taken are the names of people's own files at that time.
	Taken []string `json:"taken,omitempty"`
}

type namedFile struct {
	// Name is the chained name.
	Name string `json:"name"`
	// File is the name that it gets, or one with a number where that is taken.
	File string `json:"file"`
}

// files are the readable names of what was made in a thread.
type files struct {
	names map[string]string // by the chained name
	taken map[string]bool   // in lower case
}

func newFiles() files { return files{names: map[string]string{}, taken: map[string]bool{}} }

// add gives the files of a claim their names. A file that has one keeps it.
func (f files) add(c *claim) {
	for _, file := range c.Taken {
		f.taken[strings.ToLower(file)] = true
	}
	for _, file := range c.Files {
		if _, has := f.names[file.Name]; has {
			continue
		}
		name := file.File
		for i := 2; f.taken[strings.ToLower(name)]; i++ {
			name = plan.Numbered(file.File, i)
		}
		f.names[file.Name], f.taken[strings.ToLower(name)] = name, true
	}
}

// nameFiles claims the readable names of what a run made, in the order of its steps, and gives
// all of the thread's.
func (j *Jobs) nameFiles(ctx context.Context, r *request, run *run) (map[string]string, error) {
	wanted := &claim{}
	for _, m := range run.route.Made() {
		if m.File != "" {
			wanted.Files = append(wanted.Files, namedFile{m.Name, m.File})
		}
	}
	if len(wanted.Files) == 0 {
		return map[string]string{}, nil
	}
	id := ThreadID(r.asked.Event.Thread)
	t, err := j.thread(ctx, id, -1)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(wanted.Files, func(f namedFile) bool { return t.files.names[f.Name] == "" }) {
		for _, given := range r.given.Resources {
			if made := t.files.names[given.Name] != ""; given.File != "" && !made {
				wanted.Taken = append(wanted.Taken, given.File)
			}
		}
		if t, err = claimNames(ctx, j.logs, id, entry{At: j.config.Now(), Claimed: wanted}); err != nil {
			return nil, err
		}
	}
	return maps.Clone(t.files.names), nil
}

// claimNames writes a claim into a thread's log and gives the thread with it. Claims that are
// written at the same time count in the order in which the log has them.
func claimNames(ctx context.Context, l *logs, id string, claimed entry) (*thread, error) {
	entries, _, err := l.added(ctx, threadLog(id), claimed)
	if err != nil {
		return nil, err
	}
	return foldThread(id, entries), nil
}

// named are the readable names of the files in an answer.
func (a *Answer) named() map[string]string {
	names := map[string]string{}
	for _, r := range a.Resources {
		if r.File != "" {
			names[r.Name] = r.File
		}
	}
	return names
}
