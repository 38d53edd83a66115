package workshop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask"
	"atelier/agent/toolbox/improvise"
	"atelier/agent/toolbox/localai"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/native"
	"atelier/agent/toolbox/openai"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/program/music"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/weather"
	"atelier/agent/toolbox/webapi"
	"atelier/bot/fault"
	"atelier/bot/settings"
)

// Limits of calls to servers that make pictures and sound.
const (
	leastToolTimeout = 10 * time.Minute
	toolRetries      = 1         // a picture costs money, and may have been made already
	maxToolAnswer    = 256 << 20 // a video in Base64
)

// Toolbox returns the process's toolbox, or makes one.
func (w Workshop) Toolbox(ctx context.Context, catalogue *toolbox.Catalogue) (*toolbox.Toolbox, error) {
	if w.Tools != nil {
		return w.Tools, nil
	}
	bench := workbench{shop: w, services: catalogue.Services()}
	servers, err := bench.servers(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := toolbox.New(toolbox.Config{
		Catalogue: catalogue, Servers: servers, Ways: w.Backends.Ways(), Here: w.Here, Elsewhere: w.Elsewhere, Log: w.Logger(),
	})
	if err != nil {
		return nil, fault.Usage("BACKENDS_FILE does not fit the tools: %s.", err)
	}
	return tools, nil
}

// workbench makes the backends.
type workbench struct {
	shop     Workshop
	films    *ffmpeg.FFmpeg
	player   music.Player
	measurer func(toolbox.Call) facts.Measurer // measures with the programs
	confined *sandbox.Sandbox
	services []string // the addresses that the catalogue's tools call
}

// servers returns all servers that tools run on, in the order in which they are tried.
func (w *workbench) servers(ctx context.Context) ([]toolbox.Server, error) {
	c := w.shop
	own, err := w.own()
	if err != nil {
		return nil, err
	}
	var rest []toolbox.Server
	for _, s := range settings.AllServers(c.Config) {
		made, err := w.make(ctx, s)
		if err == nil {
			made, err = w.watched(s, made)
		}
		if err != nil {
			return nil, fault.Usage("The settings of the server %s are invalid: %s", s.Name, err)
		}
		rest = append(rest, made...)
	}
	written, err := w.improvise(rest)
	if err != nil {
		return nil, err
	}
	called, err := w.called()
	if err != nil {
		return nil, err
	}
	return slices.Concat(own, called, []toolbox.Server{written}, rest), nil
}

// called returns the services that tools call, by host.
func (w *workbench) called() ([]toolbox.Server, error) {
	c := w.shop
	var all []toolbox.Server
	for _, base := range w.services {
		b, err := webapi.New(webapi.Config{
			Base: base, Hosts: c.Backends.Hosts, Variables: c.Variables, AllowMedia: c.Models.CloudMedia,
			Measurer: w.measurer, Limits: c.Limits(), Log: c.Logger(),
		})
		if err != nil {
			return nil, err
		}
		all = append(all, toolbox.Server{
			Name: ServiceName(base), Kind: settings.ServiceKind, Base: base, Backend: b, Cloud: !b.Private(), Assumed: !b.Private(),
		})
	}
	return all, nil
}

// ServiceName is the name of a service's server: its host, without colons, which separate the parts of
// candidates' names. The usual scheme is left out: http with a port, https without.
func ServiceName(base string) string {
	scheme, host, _ := strings.Cut(base, "://")
	name := strings.Trim(strings.NewReplacer(":", "-", "[", "", "]", "").Replace(host), "-")
	if hasPort := strings.LastIndexByte(host, ':') > strings.LastIndexByte(host, ']'); hasPort == (scheme == "http") {
		return name
	}
	return scheme + "-" + name
}

// improvise makes the backend whose programs are written by a model of the first server with OpenAI's API.
func (w *workbench) improvise(rest []toolbox.Server) (toolbox.Server, error) {
	c := improvise.Config{
		Sandbox: w.confined, Environment: w.shop.PythonFolder(), Films: w.films, Limits: w.shop.Limits(), Off: !w.shop.Programs.Allowed,
		RunsOnly: w.shop.RunsOnly, Tokens: w.shop.Models.Budget, Log: w.shop.Logger(),
	}
	for _, s := range rest {
		if b, ok := s.Backend.(*openai.Backend); ok {
			c.Writer = b.Improviser()
			break
		}
	}
	b, err := improvise.New(c)
	return toolbox.Server{Name: settings.ImproviseKind, Kind: settings.ImproviseKind, Backend: b}, err
}

// own returns the backends that need no server of the operator.
func (w *workbench) own() ([]toolbox.Server, error) {
	c := w.shop
	builtin, err := native.New(native.Config{Limits: c.Limits()})
	if err != nil {
		return nil, fmt.Errorf("prepare the built-in tools: %w", err)
	}
	if w.confined, err = c.sandbox(); err != nil {
		return nil, err
	}
	if w.films, err = c.FFmpeg(); err != nil {
		return nil, err
	}
	programs, err := program.New(program.Config{Sandbox: w.confined, FFmpeg: w.films, Limits: c.Limits()})
	if err != nil {
		return nil, fmt.Errorf("prepare the programs: %w", err)
	}
	w.measurer, w.player = programs.Measurer, programs.Player()
	sky, err := weather.New(weather.Config{BaseURL: c.Backends.Weather, GeocodingURL: c.Backends.Places, Log: c.Logger()})
	if err != nil {
		return nil, fault.Usage("WEATHER_URL or PLACES_URL is invalid: %s.", err)
	}
	servers := []toolbox.Server{
		{Name: settings.BuiltinKind, Kind: settings.BuiltinKind, Backend: builtin},
		{Name: settings.ProgramKind, Kind: settings.ProgramKind, Backend: programs},
		{Name: settings.CommandKind, Kind: settings.CommandKind, Backend: programs.Commands()},
		{Name: settings.WeatherServer, Kind: settings.WeatherKind, Backend: sky, Cloud: true, Assumed: true},
	}
	for i, s := range servers {
		if at := slices.IndexFunc(c.Backends.Servers, func(o settings.BackendServer) bool { return o.Name == s.Name }); at >= 0 {
			servers[i].Parallel = c.Backends.Servers[at].Parallel
		}
	}
	return servers, nil
}

// make makes the backends for a server, one for each of its APIs.
func (w *workbench) make(ctx context.Context, s settings.BackendServer) ([]toolbox.Server, error) {
	c := w.shop
	if s.Kind == settings.LocalAIKind {
		s.URL = strings.TrimSuffix(strings.TrimRight(s.URL, "/"), openAIPath)
	}
	e, err := w.endpoint(s, s.URL)
	if err != nil {
		return nil, err
	}
	made := toolbox.Server{Name: s.Name, Kind: s.Kind, Cloud: s.Cloud || !e.Private(), Parallel: s.Parallel}
	leaves := c.Models.CloudMedia
	switch s.Kind {
	case settings.OpenAIKind:
		made.Backend, err = w.openai(ctx, e, s)
	case settings.LocalAIKind:
		return w.localai(ctx, e, s, made)
	default:
		config := hftask.Config{Endpoint: e, AllowMedia: leaves, Limits: c.Limits()}
		if s.Setting == settings.HubSetting {
			if config.Hub, err = w.hub(); err != nil {
				return nil, err
			}
		}
		made.Backend, err = hftask.New(config)
	}
	return []toolbox.Server{made}, err
}

// openAIPath is the path of OpenAI's API on a LocalAI server.
const openAIPath = "/v1"

// localai adds a LocalAI server a second time, as a server with OpenAI's API, with the models that it lists.
func (w *workbench) localai(ctx context.Context, e *endpoint.Endpoint, s settings.BackendServer, made toolbox.Server) ([]toolbox.Server, error) {
	c := w.shop
	own, err := localai.New(localai.Config{Endpoint: e, AllowMedia: c.Models.CloudMedia, Limits: c.Limits()})
	if err != nil {
		return nil, err
	}
	talks, err := w.endpoint(s, s.URL+openAIPath)
	if err != nil {
		return nil, err
	}
	config := openai.Config{Endpoint: talks, Find: own.Find, AllowMedia: c.Models.CloudMedia, Limits: c.Limits()}
	if w.films.Probe(ctx) == nil {
		config.Frames = w.films.Frames
	}
	beside := made
	config.Player = w.player
	made.Backend, beside.Kind = own, settings.OpenAIKind
	beside.Backend, err = openai.New(config)
	return []toolbox.Server{made, beside}, err
}

// endpoint returns the endpoint of a server, with the names of its settings for errors.
func (w *workbench) endpoint(s settings.BackendServer, address string) (*endpoint.Endpoint, error) {
	c := w.shop
	names := endpoint.Names{
		Key: cmp.Or(s.Token, "the key of "+s.Name), BaseURL: cmp.Or(s.Setting, "the address of "+s.Name), Model: "BACKENDS_FILE",
		Server: "the server " + s.Name,
	}
	azure := ""
	if s.Setting == settings.OpenAISetting {
		names, azure = endpoint.Names{}, c.Models.Server.AzureVersion
	}
	return endpoint.New(endpoint.Config{
		BaseURL: address, Key: string(s.Key), AzureVersion: azure, Names: names,
		Timeout: max(c.Models.Timeout, leastToolTimeout), Retries: toolRetries, MaxBody: maxToolAnswer, Log: c.Logger(),
	})
}

// hub returns Hugging Face's hub, which lists the providers of each model.
func (w *workbench) hub() (*hftask.Hub, error) {
	hf := w.shop.Backends.HF
	e, err := endpoint.New(endpoint.Config{
		BaseURL: hf.Hub, Key: string(hf.Token), Retries: toolRetries, Log: w.shop.Logger(),
		Names: endpoint.Names{Key: "HF_TOKEN", BaseURL: "HF_ENDPOINT", Server: "Hugging Face's hub"},
	})
	if err != nil {
		return nil, fault.Usage("HF_ENDPOINT is invalid: %s.", err)
	}
	return &hftask.Hub{Models: e, BillTo: hf.BillTo}, nil
}

// openai returns the backend for a server with OpenAI's API.
func (w *workbench) openai(ctx context.Context, e *endpoint.Endpoint, s settings.BackendServer) (toolbox.Backend, error) {
	c := w.shop
	config := openai.Config{
		Endpoint: e, Chat: s.Models.Chat, Vision: cmp.Or(s.Models.Vision, s.Models.Chat), Image: s.Models.Image,
		Speech: s.Models.Speech, Voice: s.Models.Voice, Transcription: s.Models.Transcription,
		AllowMedia: c.Models.CloudMedia, Limits: c.Limits(),
	}
	if s.Setting == settings.OpenAISetting {
		m := c.Models
		config.Vision, config.Blind, config.TokenField = m.SeeingModel(), m.Seeing == settings.NoModel, m.TokenField
		if m.Chooses() {
			choice, err := c.ModelChoice()
			if err != nil {
				return nil, err
			}
			config.Models = choice
		}
	}
	if w.films.Probe(ctx) == nil {
		config.Frames = w.films.Frames
	}
	config.Player = w.player
	return openai.New(config)
}

const (
	// wellFor is how long a server's health is cached, since all of its candidates are probed at
	// once.
	wellFor = 5 * time.Second
	// wellWithin is the timeout of the health check.
	wellWithin = 5 * time.Second
)

// checkup is a backend on a server with a health path. Nothing can run on it unless that path responds with
// success.
type checkup struct {
	toolbox.Backend

	server   string
	path     string
	endpoint *endpoint.Endpoint // the root of the server's host

	turn chan struct{} // a semaphore: one check at a time
	at   time.Time
	err  error
}

// Capacity is the backend's capacity, 0 if unknown.
func (k *checkup) Capacity(ctx context.Context) int {
	if sized, ok := k.Backend.(toolbox.Sized); ok {
		return sized.Capacity(ctx)
	}
	return 0
}

// withHealth adds the health check of the server to a backend. root is the root of the server's host.
func withHealth(b toolbox.Backend, s settings.BackendServer, root *endpoint.Endpoint) toolbox.Backend {
	return &checkup{Backend: b, server: s.Name, path: s.Health, endpoint: root, turn: make(chan struct{}, 1)}
}

// rootOf returns the root URL of an address, with its user and password.
func rootOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("its url is invalid")
	}
	return (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String(), nil
}

// watched adds the server's health check, if it has one, to its backends.
func (w *workbench) watched(s settings.BackendServer, made []toolbox.Server) ([]toolbox.Server, error) {
	if s.Health == "" {
		return made, nil
	}
	root, err := rootOf(s.URL)
	if err != nil {
		return nil, err
	}
	e, err := w.endpoint(s, root)
	if err != nil {
		return nil, err
	}
	for i, m := range made {
		made[i].Backend = withHealth(m.Backend, s, e)
	}
	return made, nil
}

// Probe checks the server, and then the candidate.
func (k *checkup) Probe(ctx context.Context, c toolbox.Candidate) error {
	if err := k.well(ctx); err != nil {
		return err
	}
	return k.Backend.Probe(ctx, c)
}

// ModelOf returns the backend's model.
func (k *checkup) ModelOf(ctx context.Context, c toolbox.Candidate) string {
	if knows, ok := k.Backend.(toolbox.ModelNamer); ok {
		return knows.ModelOf(ctx, c)
	}
	return ""
}

// well checks the server's health, or returns the cached result.
func (k *checkup) well(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for the health of %s: %w", k.server, ctx.Err())
	}
	if !k.at.IsZero() && time.Since(k.at) < wellFor {
		return k.err
	}
	mine, cancel := context.WithTimeout(ctx, wellWithin)
	defer cancel()
	_, err := k.endpoint.Do(mine, endpoint.Request{Path: k.path, Plainly: true})
	switch {
	case ctx.Err() != nil: // the caller gave up; the server is not to blame
		return fmt.Errorf("check the health of %s: %w", k.server, ctx.Err())
	case endpoint.Loading(err):
		err = fmt.Errorf("%w: %w", toolbox.ErrLoading, err)
	case err != nil:
		err = &plan.Fault{
			Sentence: plan.Say("The server %s does not report that it is healthy.", k.server),
			Err:      fmt.Errorf("%w: %w", toolbox.ErrDown, err),
		}
	}
	k.at, k.err = time.Now(), err
	return err
}
