package settings

import (
	"cmp"
	"slices"

	"atelier/agent/toolbox/webapi"
)

// huggingFace holds the settings for Hugging Face's servers.
type huggingFace struct {
	Token  secret
	BillTo string
	// Router and Hub are its addresses.
	Router, Hub string
}

// The default addresses of Hugging Face's and Open-Meteo's servers.
const (
	defaultRouter  = "https://router.huggingface.co"
	defaultHub     = "https://huggingface.co"
	defaultWeather = "https://api.open-meteo.com"
	defaultPlaces  = "https://geocoding-api.open-meteo.com"
)

// backendSettings are the settings for the servers that tools run on.
func backendSettings() []setting {
	return []setting{
		{
			name:  "BACKENDS_FILE",
			about: "A YAML file that lists your own servers, and the order in which they are tried for each tool. bot backends prints an example.",
			set: func(c *Config, v string) error {
				if v == "" {
					return nil
				}
				b, err := readBackends(v)
				if err != nil {
					return err
				}
				c.Backends.Servers, c.Backends.Tools = b.Servers, b.Tools
				return nil
			},
		}, {
			name: "ATELIER_HTTP_HOSTS",
			about: "The hosts that your own tools may call (kind: http), separated by commas, such as stickers.example.com,gpu1:8000. Without a " +
				"port, the usual one of http or https is meant. Write a host as the tool's file does: localhost is not 127.0.0.1.",
			set: func(c *Config, v string) (err error) { c.Backends.Hosts, err = webapi.ParseHosts(v); return err },
		}, {
			name: "TOOL_SERVER_URL", secret: true, // it may hold a password
			about: "Your own server with models for pictures, sound and video that speaks Hugging Face's task API, such as http://gpu1:8000.",
			set:   func(c *Config, v string) error { c.Backends.ToolServer.URL = v; return address(v) },
		}, {
			name: "TOOL_SERVER_TOKEN", secret: true, about: "Its key, if it requires one.",
			set: func(c *Config, v string) error { c.Backends.ToolServer.Key = secret(v); return key(v) },
		}, {
			name: "LOCALAI_URL", secret: true, // it may hold a password
			about: "A LocalAI server, such as http://localai:8080, without /v1.",
			set:   func(c *Config, v string) error { c.Backends.LocalAI.URL = v; return address(v) },
		}, {
			name: "LOCALAI_API_KEY", secret: true, about: "Its key, if it requires one.",
			set: func(c *Config, v string) error { c.Backends.LocalAI.Key = secret(v); return key(v) },
		}, {
			name: "HF_TOKEN", secret: true,
			about: "A token for Hugging Face. Its inference providers then run the tools that your own servers cannot. They get files only with " +
				"ALLOW_CLOUD_MEDIA=true.",
			set: func(c *Config, v string) error { c.Backends.HF.Token = secret(v); return key(v) },
		}, {
			name: "HF_BILL_TO", about: "The Hugging Face organisation to bill. If empty, the token's owner.",
			set: func(c *Config, v string) error { c.Backends.HF.BillTo = v; return word(v) },
		}, {
			name: "HF_ROUTER_URL", value: defaultRouter, about: "The URL of Hugging Face's router to its providers.",
			set: func(c *Config, v string) error { c.Backends.HF.Router = v; return address(v) },
		}, {
			name: "HF_ENDPOINT", value: defaultHub, about: "The URL of its hub, which lists the providers of each model.",
			set: func(c *Config, v string) error { c.Backends.HF.Hub = v; return address(v) },
		}, {
			name: "WEATHER_URL", value: defaultWeather, about: "A server with Open-Meteo's forecast API. It requires no key.",
			set: func(c *Config, v string) error { c.Backends.Weather = v; return address(v) },
		}, {
			name: "PLACES_URL", value: defaultPlaces, about: "A server with Open-Meteo's geocoding API.",
			set: func(c *Config, v string) error { c.Backends.Places = v; return address(v) },
		},
	}
}

// setServers returns the servers that have their own settings, in the order in which they are tried.
func setServers(c Config) []BackendServer {
	var all []BackendServer
	add := func(s BackendServer, name, kind, token, setting string) {
		if s.Name, s.Kind, s.Token, s.Setting = name, kind, token, setting; s.URL != "" {
			all = append(all, s)
		}
	}
	add(c.Backends.ToolServer, ToolServer, HFTaskKind, "TOOL_SERVER_TOKEN", "TOOL_SERVER_URL")
	add(c.Backends.LocalAI, LocalAIKind, LocalAIKind, "LOCALAI_API_KEY", "LOCALAI_URL")
	if m := c.Models; m.Server.Configured() {
		add(BackendServer{
			URL: cmp.Or(m.Server.BaseURL, OpenAIURL), Key: m.Server.Key,
			Models: backendModels{Chat: m.Name, Image: m.Image, Speech: m.Speech, Voice: m.Voice, Transcription: m.Transcription},
		}, OpenAIKind, OpenAIKind, "OPENAI_API_KEY", OpenAISetting)
	}
	if hf := c.Backends.HF; hf.Token != "" {
		add(BackendServer{URL: hf.Router, Key: hf.Token, Cloud: true}, HuggingFaceServer, HFTaskKind, "HF_TOKEN", HubSetting)
	}
	return all
}

// AllServers returns the servers of BACKENDS_FILE, and those of the settings that it does not redefine.
func AllServers(c Config) []BackendServer {
	var all []BackendServer
	for _, s := range c.Backends.Servers {
		if !slices.Contains(ownServers, s.Name) {
			all = append(all, s)
		}
	}
	for _, s := range setServers(c) {
		if !slices.ContainsFunc(all, func(o BackendServer) bool { return o.Name == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}

// giveKeys sets the keys of the file's servers, and returns sentences about missing ones.
func giveKeys(c Config) []string {
	var wrong []string
	for i, s := range c.Backends.Servers {
		if s.Token == "" {
			continue
		}
		value := c.Variables[s.Token]
		switch {
		case value == "":
			wrong = append(wrong, "BACKENDS_FILE: the server "+s.Name+" has its key in "+s.Token+", which is not set.")
		case key(value) != nil:
			wrong = append(wrong, s.Token+" is invalid: "+key(value).Error()+".")
		}
		c.Backends.Servers[i].Key = secret(value)
	}
	return wrong
}

// The kinds of backends, and the servers that settings name.
const (
	BuiltinKind   = "native" // part of the program
	ProgramKind   = "program"
	CommandKind   = "command"
	ImproviseKind = "improvise"
	OpenAIKind    = "openai"
	HFTaskKind    = "hftask"
	LocalAIKind   = "localai"
	WeatherKind   = "weather"
	ServiceKind   = "http" // a service named in a tool's file

	ToolServer        = "toolserver"
	WeatherServer     = "weather"
	HuggingFaceServer = "huggingface"
)

// The settings by which errors refer to servers.
const (
	OpenAISetting = "OPENAI_BASE_URL"
	HubSetting    = "HF_ROUTER_URL"
)

// serverKinds are the kinds of servers that BACKENDS_FILE may list.
var serverKinds = []string{HFTaskKind, OpenAIKind, LocalAIKind}

// LocalModelsSetting switches the search for a model server on this machine on and off.
const LocalModelsSetting = "ATELIER_LOCAL_MODELS"
