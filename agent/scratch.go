package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"atelier/agent/plan"
)

const (
	// scratchPrefix begins the name of every folder of a step.
	scratchPrefix = "atelier-step-"
	// abandoned is the age at which nobody can be working in such a folder any more.
	abandoned = 24 * time.Hour
)

// scratch makes an empty folder for a step. The first time, it removes what processes
// that were killed have left behind; that this fails stands in nobody's way.
func (a *Agent) scratch(ctx context.Context) (string, error) {
	root := cmp.Or(a.config.Scratch, os.TempDir())
	a.sweep.Do(func() {
		if err := sweep(root, a.config.Clock().Add(-abandoned)); err != nil {
			a.config.Log.WarnContext(ctx, "old scratch folders stay", "error", plan.ForOperator(err))
		}
	})
	return os.MkdirTemp(root, scratchPrefix)
}

// sweep removes the steps' folders in root that were last changed before the deadline.
// Links are not followed, and other folders are not looked into.
func sweep(root string, deadline time.Time) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("list the scratch folder: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) || err == nil && !info.ModTime().Before(deadline) {
			continue // gone already, or young
		}
		if err == nil {
			err = os.RemoveAll(filepath.Join(root, e.Name()))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("remove an old folder of a step: %w", err))
		}
	}
	return errors.Join(errs...)
}
