// Package doctor reports what is configured, reachable and missing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/output"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// Command is bot doctor.
type Command struct {
	JSON bool `help:"Print JSON: [{state, thing, says}]."`
}

// Help says what the states mean.
func (*Command) Help() string {
	return `Each line is one of
  ok
  missing: optional, more would work with it
  warning: it will need attention later
  wrong
No secret is printed. Test files are removed at once.

Exit status: 0 nothing is wrong, 1 something is.`
}

// Health is the state of a part of the program.
type Health string

// The states.
const (
	Healthy Health = "ok"
	// Missing is not a fault, but the program can do less, or is less safe.
	Missing Health = "missing"
	// Warning is something that may become a fault.
	Warning Health = "warning"
	Wrong   Health = "wrong"
)

// Finding is the state of one part.
type Finding struct {
	State Health `json:"state"`
	Thing string `json:"thing"`
	// Says is a sentence or two for the operator: what was found, and what to do.
	Says string `json:"says"`
}

// Run checks everything that the program relies on.
func (d *Command) Run(ctx context.Context, c *command.Call) error {
	found, err := examine(ctx, c)
	if err != nil {
		return err
	}
	if d.JSON {
		err = output.JSON(c.Stdout, found)
	} else {
		err = output.Print(c.Stdout, diagnosis(found))
	}
	if err == nil && slices.ContainsFunc(found, func(f Finding) bool { return f.State == Wrong }) {
		return fault.ExitError(fault.StatusFailed)
	}
	return err
}

// diagnosis is the report as a table.
func diagnosis(found []Finding) []string {
	rows := make([][]string, len(found))
	for i, f := range found {
		rows[i] = []string{string(f.State), f.Thing, output.Plain(f.Says)}
	}
	return output.Align(rows)
}

// examination checks what the settings name.
type examination struct {
	workshop.Workshop

	running control.Running
}

// examine checks everything. It fails only if it is cancelled.
func examine(ctx context.Context, c *command.Call) ([]Finding, error) {
	shop, err := c.WorkshopWithModel(ctx, nil)
	if refused, ok := errors.AsType[*fault.UsageError](err); ok {
		var found []Finding
		for line := range strings.SplitSeq(refused.Sentence, fault.SettingsSeparator) {
			found = append(found, Finding{Wrong, "settings", line})
		}
		return append(found, Finding{Missing, "the rest", "It is checked once the settings are valid."}), nil
	}
	if err != nil {
		return nil, err
	}
	x := examination{shop, control.FindRunning(ctx, shop.Data)}
	found := []Finding{examineSettings(c.Env)}
	for _, look := range []func(context.Context) []Finding{
		x.examineFolders, x.examineRedis, x.examineFiles, x.examineModels, x.examineTools, x.examineAddress, x.examineWeb, x.examineChats,
	} {
		found = append(found, look(ctx)...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// examineSettings lists the names of the settings, without values.
func examineSettings(environ []string) Finding {
	set, err := settings.NamesSet(environ)
	if err != nil { // it was readable a moment ago
		return Finding{Wrong, "settings", "The file .env cannot be read any more."}
	}
	if len(set) == 0 {
		return Finding{Healthy, "settings", "None is set, and none is required. To see them all: bot env"}
	}
	return Finding{Healthy, "settings", "These are set and valid: " + strings.Join(set, ", ") + "."}
}

// failed is the finding for an error: its own sentence if it has one of ours, else otherwise, so that a
// server's text is not repeated.
func failed(thing string, err error, otherwise string) Finding {
	return Finding{Wrong, thing, fault.SentenceOr(err, otherwise)}
}

// HealthCommand is bot health.
type HealthCommand struct{}

// Help returns the detailed help.
func (HealthCommand) Help() string {
	return `This asks the process on ATELIER_LISTEN. Use it as the health check of a container.
Exit status: 0 alive, 1 not.`
}

// Run checks that the process is alive.
func (HealthCommand) Run(ctx context.Context, c *command.Call) error {
	shop, err := c.Workshop(nil)
	if err != nil {
		return err
	}
	if shop.Listen == "" {
		return fault.Usage("ATELIER_LISTEN is off, so there is no address to check.")
	}
	ctx, stop := context.WithTimeout(ctx, 4*time.Second)
	defer stop()
	url := "http://" + listen.Reachable(shop.Listen) + "/healthz"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("check the health: %w", err)
	}
	transport := &http.Transport{DisableKeepAlives: true} // no proxy: it is this machine
	response, err := transport.RoundTrip(request)
	if err != nil {
		return &plan.Fault{Sentence: plan.Quote("No Atelier answers at " + url + "."), Err: err}
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		return &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The server at %s is not healthy: %s.", url, response.Status)), Err: err}
	}
	if _, err := fmt.Fprintln(c.Stdout, "ok"); err != nil {
		return fmt.Errorf("print the health: %w", err)
	}
	return nil
}
