package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"

	"atelier/adapters/terminal"
	"atelier/jobs"
)

// detach hands the wish to the process that runs on the data folder, and prints the
// request's id. The files are read there, once it is their turn.
func (a *askCommand) detach(ctx context.Context, c *call, config Config, wish string) error {
	if config.Storage.RedisURL != "" {
		return usage("--detach hands a wish to the process that runs on the data folder, and REDIS_URL is set: leave --detach out.")
	}
	if err := checkThreadName(a.Thread); err != nil {
		return err
	}
	paths := make([]string, len(a.File))
	for i, file := range a.File {
		path, err := filepath.Abs(file)
		if err != nil {
			return fmt.Errorf("find the file: %w", err)
		}
		paths[i] = path
	}
	// A wish without a conversation is one of its own.
	e := terminal.Message(cmp.Or(a.Thread, rand.Text()), wish, paths)
	return c.operate(ctx, func(o operator) error {
		id, err := o.Submit(ctx, e, jobs.Options{})
		if err != nil {
			return err
		}
		if a.JSON {
			return printJSON(c.Stdout, struct {
				ID string `json:"id"`
			}{id})
		}
		return say(c.Stdout, "The request %s was taken. To see it: bot show %s\n", id, id)
	})
}
