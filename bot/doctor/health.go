package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/listen"
)

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
