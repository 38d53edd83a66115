package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"atelier/agent/planner/llm/replay"
	"atelier/bot/command"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/settings"
)

// ReplayCommand is bot replay, a model server that replays recorded answers.
type ReplayCommand struct {
	Folder string `arg:"" help:"The folder with the answers, written by bot eval --record or bot replay --record."`
	Listen string `default:"127.0.0.1:8099" placeholder:"ADDRESS" help:"The address to listen on."`
	Record bool   `help:"Ask the server at OPENAI_BASE_URL for missing answers, and add them to the folder."`
}

// Help returns the detailed help.
func (*ReplayCommand) Help() string {
	return `It implements OpenAI's API, and looks up answers by the texts of the messages. To plan with it:

  OPENAI_BASE_URL=http://127.0.0.1:8099/v1 OPENAI_MODEL=recorded bot ask "..."

If there is no recording, it answers 404 with the error code not_recorded. It runs until stopped.`
}

// Run serves until ctx ends.
func (r *ReplayCommand) Run(ctx context.Context, c *command.Call) error {
	recordings, err := replay.Open(r.Folder)
	if err != nil {
		return fault.Usage("The answers in %s cannot be read: %s.", r.Folder, err)
	}
	missing := replay.Missing()
	switch {
	case r.Record:
		if missing, err = r.ask(c, recordings); err != nil {
			return err
		}
	case len(recordings.Requests()) == 0:
		return fault.Usage("No answers are recorded in %s.", r.Folder)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", r.Listen)
	if err != nil {
		return fault.Usage("Cannot listen on %s: %s. Choose another address with --listen.", r.Listen, fault.Reason(err))
	}
	if _, err := fmt.Fprintf(c.Stdout, "OPENAI_BASE_URL=http://%s/v1\n", listen.Reachable(l.Addr().String())); err != nil {
		return fmt.Errorf("print the address: %w", err)
	}
	server := &http.Server{Handler: recordings.Server(missing), ReadHeaderTimeout: 5 * time.Second}
	if err := listen.Serve(ctx, server, l, time.Second); err != nil {
		return fmt.Errorf("answer from the recordings: %w", err)
	}
	return nil
}

// ask is a handler that asks the configured model server.
func (r *ReplayCommand) ask(c *command.Call, recordings *replay.Recordings) (http.Handler, error) {
	shop, err := c.Workshop(nil)
	if err != nil {
		return nil, err
	}
	server := shop.Models.Server
	if server.BaseURL == "" && server.Key == "" {
		return nil, fault.Usage("--record needs a model server: set OPENAI_BASE_URL or OPENAI_API_KEY.")
	}
	base, err := url.Parse(cmp.Or(server.BaseURL, settings.OpenAIURL))
	if err != nil {
		return nil, fault.Usage("OPENAI_BASE_URL is not a URL.")
	}
	return recordings.Ask(base, string(server.Key)), nil
}
