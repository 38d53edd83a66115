package main

import (
	"context"
	"fmt"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/native"
	"atelier/agent/toolbox/openai"
)

// toolbox wires the backends of this build.
func (c Config) toolbox(ctx context.Context, catalogue *toolbox.Catalogue) (*toolbox.Toolbox, error) {
	builtin, err := native.New(native.Config{Limits: c.limits()})
	if err != nil {
		return nil, fmt.Errorf("prepare the built-in tools: %w", err)
	}
	servers := []toolbox.Server{{Kind: builtinKind, Backend: builtin}}
	if c.Models.Server.configured() {
		s, err := c.openai(ctx)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: servers, Elsewhere: c.Elsewhere})
}

// What a server has time and room for that makes pictures and sound.
const (
	leastToolTimeout = 5 * time.Minute
	toolRetries      = 1 // a picture costs money, and may have been made
	maxToolAnswer    = 64 << 20
)

// openai is the backend that asks the models of a server.
func (c Config) openai(ctx context.Context) (toolbox.Server, error) {
	m := c.Models
	e, err := m.Server.endpoint(endpoint.Config{
		Timeout: max(m.Timeout, leastToolTimeout), Retries: toolRetries, MaxBody: maxToolAnswer, Log: c.logger(),
	})
	if err != nil {
		return toolbox.Server{}, err
	}
	config := openai.Config{
		Endpoint: e, Chat: m.Name, Vision: m.seeing(), Image: m.Image, Speech: m.Speech, Voice: m.Voice, Transcription: m.Transcription,
		TokenField: m.TokenField, AllowMedia: m.CloudMedia, Limits: c.limits(),
	}
	frames, err := ffmpeg.New(ffmpeg.Config{Limits: c.limits()})
	if err != nil {
		return toolbox.Server{}, fmt.Errorf("prepare what looks into videos: %w", err)
	}
	if frames.Probe(ctx) == nil {
		config.Frames = frames.Frames
	}
	asks, err := openai.New(config)
	if err != nil {
		return toolbox.Server{}, err
	}
	return toolbox.Server{Kind: "openai", Backend: asks, Cloud: !e.Private()}, nil
}
