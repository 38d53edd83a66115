// Package weather looks up the weather of a place at Open-Meteo, a public service that needs no key
// (https://open-meteo.com/en/docs), or at your own server with its two APIs.
//
// Guarantees:
//   - Only the name of a place or its coordinates are sent, and nothing else that people wrote.
//   - Each service is called at its own address only. Redirects elsewhere are not followed, a private
//     address is reached only if the settings name one, and a public name that resolves to a private
//     address is rejected.
//   - Answers are bounded, and read only for the expected figures and names. The service's own
//     words are not shown to anybody.
//   - Calls are retried where that can help (429, 502, 503, 504, a broken connection), at the time that
//     the service asks for.
//   - Its errors are those of [toolbox.Backend]. An unknown place is not the service's fault.
package weather

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The public services. Their data is free to use with attribution (CC BY 4.0).
const (
	publicForecast  = "https://api.open-meteo.com"
	publicGeocoding = "https://geocoding-api.open-meteo.com"
)

// Config configures a Backend. The zero value uses the public services.
type Config struct {
	// BaseURL is the base URL of the forecast service, without /v1/forecast.
	BaseURL string
	// GeocodingURL is the base URL of the geocoding service, without /v1/search.
	GeocodingURL string
	// Retries is how often a failed call is retried; 0 means 2, and less means never.
	Retries int
	// Transport sends the requests; nil means one that enforces the package's guarantees on addresses.
	Transport http.RoundTripper
	// Wait returns after d, or earlier with an error when ctx ends. Nil waits in real time.
	Wait func(ctx context.Context, d time.Duration) error
	// Now measures the age of a probe; nil means time.Now.
	Now func() time.Time
	// Log receives each retry; nil disables logging.
	Log *slog.Logger
}

// Backend implements the backing kind weather. It is safe for concurrent use.
type Backend struct {
	forecasts, places *endpoint.Endpoint
	health            *memo.Memo[struct{}] // whether the service answers
}

var _ toolbox.Backend = (*Backend)(nil)

const (
	// run is the name of the only run.
	run = "open-meteo"
	// fresh is how long a successful probe is cached, and stale how long a failed one is.
	fresh, stale = 10 * time.Minute, 30 * time.Second
	// maxAnswer is the largest answer, in bytes; usual ones have a few thousand.
	maxAnswer = 1 << 20
)

// New checks the configuration. It opens no connection.
func New(c Config) (*Backend, error) {
	b := new(Backend)
	if c.Now == nil {
		c.Now = time.Now
	}
	b.health = memo.New(memo.Config[struct{}]{Ask: b.check, Life: probeLife, Clock: c.Now})
	var err error
	if b.forecasts, err = c.endpoint(cmp.Or(c.BaseURL, publicForecast)); err != nil {
		return nil, fmt.Errorf("invalid weather service address: %w", err)
	}
	if b.places, err = c.endpoint(cmp.Or(c.GeocodingURL, publicGeocoding)); err != nil {
		return nil, fmt.Errorf("invalid geocoding service address: %w", err)
	}
	return b, nil
}

func (c Config) endpoint(address string) (*endpoint.Endpoint, error) {
	settings := endpoint.Config{
		BaseURL: address, Timeout: 10 * time.Second, Retries: cmp.Or(c.Retries, 2), MaxBody: maxAnswer,
		Transport: c.Transport, Wait: c.Wait, Log: c.Log, Names: endpoint.Names{Server: "the weather service"},
	}
	e, err := endpoint.New(settings)
	if err != nil || c.Transport != nil || e.Private() {
		return e, err
	}
	settings.Transport = endpoint.NewPublicTransport(address, nil)
	return endpoint.New(settings)
}

// Probe reports whether the service answers. Success is cached for ten minutes and failure for half a
// minute, to spare the free service.
func (b *Backend) Probe(ctx context.Context, c toolbox.Candidate) error {
	if err := checkRun(c); err != nil {
		return err
	}
	_, err := b.health.Get(ctx)
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return err
}

// Run looks up the weather of the place in the argument "location".
func (b *Backend) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	if err := checkRun(c); err != nil {
		return toolbox.Output{}, err
	}
	at, err := b.find(ctx, cmp.Or(call.Text("location"), call.Text("place"), call.Text("text")))
	if err != nil {
		return toolbox.Output{}, err
	}
	f, err := b.forecast(ctx, at)
	if err != nil {
		return toolbox.Output{}, err
	}
	b.health.Set(struct{}{}, nil)
	return toolbox.Output{Value: f.String(), About: plan.Say("the weather in %s", f.Place)}, nil
}

// check asks the service for the weather at some place.
func (b *Backend) check(ctx context.Context) (struct{}, error) {
	_, err := b.current(ctx, place{})
	return struct{}{}, err
}

// probeLife returns how long a probe is cached.
func probeLife(err error) time.Duration {
	if err != nil {
		return stale
	}
	return fresh
}

func checkRun(c toolbox.Candidate) error {
	if c.Run == run {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("This version does not know how to look that up."),
		Err:      fmt.Errorf("unknown run %q", c.Run),
	}
}

func stopped(ctx context.Context) error {
	return &plan.Fault{Sentence: plan.Say("The weather lookup was stopped."), Err: ctx.Err()}
}

// fault turns the error of a service into a fault ([toolbox.ErrDown]) with a sentence.
func fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	sentence := plan.Say("The weather service does not answer. Please try again later.")
	e, ok := errors.AsType[*endpoint.Error](err)
	if !ok {
		return &plan.Fault{Sentence: sentence, Err: fmt.Errorf("%w: %w", toolbox.ErrDown, err)}
	}
	switch e.Kind {
	case endpoint.Limited, endpoint.Quota:
		sentence = plan.Say("The weather service is getting too many requests at the moment. Please try again later.")
		if e.After > 0 {
			sentence = plan.Say("The weather service is getting too many requests at the moment. Please try again in %s.", plan.Wait(e.After))
		}
	case endpoint.TimedOut:
		sentence = plan.Say("The weather service took too long to answer. Please try again.")
	case endpoint.Malformed, endpoint.ModelUnknown:
		sentence = plan.Say("The weather service's answer could not be read. Please try again; if that does not help, ask the operator to check its address.")
	case endpoint.Rejected, endpoint.KeyRefused, endpoint.Forbidden, endpoint.TooLong:
		sentence = plan.Say("The weather service rejected the request. If this goes on, ask the operator to check the log.")
	case endpoint.Down:
	}
	return &plan.Fault{Sentence: sentence, Err: fmt.Errorf("%w: weather service (%s): %w", toolbox.ErrDown, e.Kind, e.Err)}
}

// unreadable returns the fault of an invalid answer.
func unreadable(ctx context.Context, why string) error {
	return fault(ctx, &endpoint.Error{Kind: endpoint.Malformed, Err: errors.New(why)})
}
