package workshop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/jobs"
)

const (
	// lookedAt is the number of latest requests searched for those of one person.
	lookedAt = 100
	maxShown = 5
	maxWish  = 80 // characters
)

// recentOf returns a person's answered requests in a workspace, latest first.
func recentOf(
	ctx context.Context, latest func(ctx context.Context, n int) ([]jobs.Request, error), known []adapters.Adapter, by adapters.Person, in adapters.Thread,
) ([]answered, error) {
	all, err := latest(ctx, lookedAt)
	if err != nil {
		return nil, fmt.Errorf("list the latest requests: %w", err)
	}
	var shown []answered
	for _, r := range all {
		wish := firstWords(r.Wish)
		if len(shown) == maxShown || wish == "" || r.By.ID != by.ID || r.Thread.Adapter != in.Adapter || r.Thread.Workspace != in.Workspace ||
			!slices.ContainsFunc(r.Runs, func(run jobs.Run) bool { return len(run.Made) > 0 && run.Sent.ID != "" }) {
			continue
		}
		one := answered{wish: wish}
		if one.at, err = locate(ctx, known, r.Thread); err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// locate returns the address of a thread; "" if unknown.
func locate(ctx context.Context, known []adapters.Adapter, t adapters.Thread) (string, error) {
	for _, a := range known {
		if l, ok := a.(adapters.Locator); ok && a.Name() == t.Adapter {
			at, err := l.Locate(ctx, t)
			if err != nil {
				return "", fmt.Errorf("locate a thread: %w", err)
			}
			return at, nil
		}
	}
	return "", nil
}

// firstWords cuts a request to one line.
func firstWords(wish string) string {
	letters := []rune(strings.Join(strings.Fields(wish), " "))
	if len(letters) <= maxWish {
		return string(letters)
	}
	return string(letters[:maxWish-1]) + "…"
}
