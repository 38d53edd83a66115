package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"atelier/agent/plan"
)

const (
	// fetchPrefix begins the name of every folder of a passing file.
	fetchPrefix = "atelier-fetch-"
	// abandoned is the age at which nobody can be working in such a folder any more.
	abandoned = 24 * time.Hour
)

// passingFolders are where files lie on their way into the Blobs.
type passingFolders struct{ sweep sync.Once }

// passingFolder makes an empty folder for a file. The first time, it removes what processes
// that were killed have left behind; that this fails stands in nobody's way.
func (j *Jobs) passingFolder(ctx context.Context) (string, error) {
	root := cmp.Or(j.config.Scratch, os.TempDir())
	j.passing.sweep.Do(func() {
		if err := sweepPassing(root, time.Now().Add(-abandoned)); err != nil { // the file system's time is the machine's
			j.log.WarnContext(ctx, "old folders of passing files stay", "error", plan.ForOperator(err))
		}
	})
	dir, err := os.MkdirTemp(root, fetchPrefix)
	if err != nil {
		return "", fmt.Errorf("make a folder for a file: %w", err)
	}
	return dir, nil
}

// sweepPassing removes the folders of passing files that were last changed before that time.
// Links are not followed, and other folders are not looked into.
func sweepPassing(root string, before time.Time) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("list the scratch folder: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), fetchPrefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) || err == nil && !info.ModTime().Before(before) {
			continue // gone already, or young
		}
		if err == nil {
			err = os.RemoveAll(filepath.Join(root, e.Name()))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("remove an old folder of a file: %w", err))
		}
	}
	return errors.Join(errs...)
}
