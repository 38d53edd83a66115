// Package settings reads the environment, a file .env and the flags of a command. Settings are plain
// values. All wrong ones are reported at once.
package settings

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"atelier/agent/endpoint/discover"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolgraph"
	"atelier/jobs/quota"
)

// Config holds all settings. Their variables are listed in [settings].
type Config struct {
	Data      string
	Catalogue string
	Strategy  toolgraph.Strategy
	Parallel  int
	FileMB    int64
	// LinkHosts are the hosts from which linked files are downloaded.
	LinkHosts []string
	Pixels    int64
	// Memory is the memory budget for work on media.
	Memory *memory.Budget
	Log    slog.Level
	// QuietByDefault means that ATELIER_LOG is not set, so the command decides.
	QuietByDefault bool
	LogJSON        bool
	Storage        Storage
	// Retention, Deadline, Grace and Check are passed to the jobs.
	Retention, Deadline, Grace, Check time.Duration
	// Listen is the address of the HTTP server; empty for none.
	Listen string
	Web    Web
	// Discord and Slack are the chat platforms.
	Discord Discord
	Slack   Slack
	// Quota says who may ask, and how much. Its store is filled in later.
	Quota quota.Config

	Planner PlannerKind
	// LocalModels looks for a model server on this machine if none is configured. Local lists those
	// that were found; it is not a variable.
	LocalModels bool
	Local       []discover.Server
	// Programs says where a language model may write programs when no tool fits.
	Programs Programs
	// Fallback makes the rules the fallback for a model that fails.
	Fallback bool
	// WithoutPrior, set by a flag, gives the decomposing model no hints about tools.
	WithoutPrior bool
	Models       Models
	// Backends are the servers that tools run on.
	Backends Backends
	// Variables holds the environment and .env, for the keys that BACKENDS_FILE names. It is never
	// printed.
	Variables map[string]string
}

// setting is one environment variable.
type setting struct {
	name  string
	value string // the default
	about string
	set   func(c *Config, value string) error
	// secret marks a value that is never printed, even in errors.
	secret bool
}

// settings lists every variable, in the order of .env.example.
func settings() []setting {
	return slices.Concat(ownSettings(), serveSettings(), chatSettings(), accessSettings(), storageSettings(),
		plannerSettings(), toolSettings(), backendSettings())
}

// ownSettings are the settings of the program itself.
func ownSettings() []setting {
	return []setting{
		{
			name: "ATELIER_DATA", value: ".atelier",
			about: "The folder for all data: conversations, requests and their files. Without REDIS_URL only one process at a " +
				"time can serve from it.",
			set: func(c *Config, v string) error { c.Data = v; return needed(v) },
		}, {
			name: "ATELIER_CATALOGUE", about: "A folder with your own tools, one YAML file each. They are added to the built-in ones.",
			set: func(c *Config, v string) error { c.Catalogue = v; return folder(v) },
		}, {
			name: "ATELIER_STRATEGY", value: "best-first",
			about: "How to search the tool graph: best-first, greedy, beam, adaptive or exhaustive.",
			set:   func(c *Config, v string) (err error) { c.Strategy, err = toolgraph.ParseStrategy(v); return err },
		}, {
			name: "ATELIER_PARALLEL", value: "4", about: "How many steps of a plan run at the same time.",
			set: func(c *Config, v string) (err error) { c.Parallel, err = number(v, 1, 64); return err },
		}, {
			name: "ATELIER_LOG",
			about: "What is logged to standard error: off, warn (failures with their causes, and retries), info (requests too) or debug (each " +
				"job and step too). If empty, serve logs info and every other command logs nothing.",
			set: func(c *Config, v string) (err error) {
				c.QuietByDefault = v == ""
				c.Log, err = logLevel(cmp.Or(v, "off"))
				return err
			},
		}, {
			name: "ATELIER_LOG_FORMAT", value: "text", about: "The format of the log: text or json.",
			set: func(c *Config, v string) error {
				word, err := oneOf(v, "text", "json")
				c.LogJSON = word == "json"
				return err
			},
		}, {
			name: "ATELIER_MAX_FILE_MB", value: "100", about: "The maximum size of a file, in MB.",
			set: func(c *Config, v string) (err error) { c.FileMB, err = number[int64](v, 1, 10_000); return err },
		}, {
			name: "ATELIER_LINK_HOSTS",
			about: "Hosts, separated by commas, from which linked pictures, sounds and videos are downloaded, such as upload.wikimedia.org, or " +
				"*.example.com for all hosts below it. Only https is used, and never a private address. Links to files on Discord and Slack " +
				"always work.",
			set: func(c *Config, v string) (err error) { c.LinkHosts, err = linkHosts(v); return err },
		}, {
			name: "ATELIER_MEMORY_MB",
			about: "The memory limit of the process and its programs together, in MB. If empty, the container's limit, or " +
				"half of the machine's memory. GOMEMLIMIT follows it unless it is set too.",
			set: func(c *Config, v string) (err error) { c.Memory, err = budget(v); return err },
		}, {
			name: "ATELIER_MAX_MEGAPIXELS", value: "64", about: "The maximum size of a picture, in megapixels.",
			set: func(c *Config, v string) (err error) { c.Pixels, err = number[int64](v, 1, 1000); return err },
		},
	}
}

// leastBudget is the number of tokens that a simple request uses with the default context. With a smaller
// budget, requests would fail after calls that cost money.
const leastBudget = 20_000

// plannerSettings are the settings for planning.
func plannerSettings() []setting {
	return []setting{
		{
			name: "PLANNER", value: "auto",
			about: "What interprets requests: llm (a language model), rules, or auto: llm if a model is set below or found on this machine.",
			set:   func(c *Config, v string) (err error) { c.Planner, err = ParsePlanner(v); return err },
		}, {
			name: "ATELIER_PROGRAMS", value: "true",
			about: "true lets the language model write a short Python program when no tool fits. It runs confined, without network, and sees " +
				"only the request's files. false turns this off. A list written like ATELIER_ALLOW allows it only in these places: " +
				"slack/channel/C1, discord/server/1097, web, terminal (bot ask).",
			set: func(c *Config, v string) (err error) { c.Programs, err = parsePrograms(v); return err },
		}, {
			name: LocalModelsSetting, value: "true",
			about: "true looks for a model server on this machine if none is set below: Ollama, LM Studio, llama.cpp, LocalAI or vLLM " +
				"on its default port. It looks once, at startup, for at most 200 ms. false turns this off.",
			set: func(c *Config, v string) (err error) { c.LocalModels, err = yes(v); return err },
		}, {
			name: "PLANNER_FALLBACK",
			about: "rules plans without a model if the model fails for any reason: it is down, the key is wrong, the quota is used up, or its " +
				"answers are useless. The answer says so.",
			set: func(c *Config, v string) (err error) {
				c.Fallback = v != ""
				_, err = oneOf(v, "", string(RulesPlanner))
				return err
			},
		}, {
			name: "OPENAI_API_KEY", secret: true, about: "The key for OpenAI, or for the server in OPENAI_BASE_URL.",
			set: func(c *Config, v string) error { c.Models.Server.Key = secret(v); return key(v) },
		}, {
			name: "OPENAI_BASE_URL", secret: true, // it may hold a password
			about: "An OpenAI-compatible server, such as http://localhost:11434/v1. If empty, OpenAI itself.",
			set:   func(c *Config, v string) error { c.Models.Server.BaseURL = v; return address(v) },
		}, {
			name: "OPENAI_MODEL", about: "The language model. If empty, one is chosen from the server's list. Azure requires it: the name of the deployment.",
			set: func(c *Config, v string) error { c.Models.Name = v; return word(v) },
		}, {
			name: "OPENAI_VISION", value: "false",
			about: "true shows a request's pictures to the language model when it plans. Tools that look at pictures always do.",
			set:   func(c *Config, v string) (err error) { c.Models.Vision, err = yes(v); return err },
		}, {
			name: "OPENAI_API_VERSION", about: "The version of Azure OpenAI's API, such as 2024-10-21. OPENAI_MODEL then names the deployment.",
			set: func(c *Config, v string) error { c.Models.Server.AzureVersion = v; return apiVersion(v) },
		}, {
			name:  "OPENAI_TOKEN_FIELD",
			about: "The field that limits an answer's length: max_tokens or max_completion_tokens. If empty, it is chosen by server and model.",
			set: func(c *Config, v string) (err error) {
				c.Models.TokenField, err = oneOf(v, "", "max_tokens", "max_completion_tokens")
				return err
			},
		}, {
			name: "OPENAI_TIMEOUT", value: "2m",
			about: "The timeout of each attempt at a call, such as 90s or 2m. Tools get at least five minutes.",
			set: func(c *Config, v string) (err error) {
				c.Models.Timeout, err = duration(v, time.Second, time.Hour, "90s or 2m")
				return err
			},
		}, {
			name: "OPENAI_CONTEXT", value: "32768", about: "The context length of the language model in tokens, input and output together.",
			set: func(c *Config, v string) (err error) {
				c.Models.Context, err = number(v, 4096, 100_000_000)
				return err
			},
		}, {
			name: "OPENAI_BUDGET", value: "100000",
			about: "The token limit of one request for planning, programs and the answer. The tokens of other tools are not included.",
			set: func(c *Config, v string) (err error) {
				c.Models.Budget, err = number(v, leastBudget, 100_000_000)
				return err
			},
		}, {
			name: "DECOMPOSER_BASE_URL", secret: true,
			about: "The server of a separate model for splitting requests. If empty, OPENAI_BASE_URL.",
			set:   func(c *Config, v string) error { c.Models.Decomposer.BaseURL = v; return address(v) },
		}, {
			name: "DECOMPOSER_API_KEY", secret: true, about: "The key for that server. If empty, OPENAI_API_KEY if it is the same server.",
			set: func(c *Config, v string) error { c.Models.Decomposer.Key = secret(v); return key(v) },
		}, {
			name: "DECOMPOSER_MODEL", about: "The model for splitting requests. If empty, OPENAI_MODEL.",
			set: func(c *Config, v string) error { c.Models.DecomposerName = v; return word(v) },
		},
	}
}

// toolSettings are the settings for tools that run on a model server.
func toolSettings() []setting {
	return []setting{
		{
			name: "ALLOW_CLOUD_MEDIA", value: "false",
			about: "true allows sending pictures, sound and video to servers on the internet. Servers in your own network always get them.",
			set:   func(c *Config, v string) (err error) { c.Models.CloudMedia, err = yes(v); return err },
		}, {
			name:  "OPENAI_VISION_MODEL",
			about: "The model for tools that look at pictures. If empty, OPENAI_MODEL. Set it to none if that model cannot see.",
			set:   func(c *Config, v string) error { c.Models.Seeing = v; return word(v) },
		}, {
			name: "OPENAI_IMAGE_MODEL", about: "The model that draws and edits pictures. If empty, one is chosen from the server's list, except on Azure.",
			set: func(c *Config, v string) error { c.Models.Image = v; return word(v) },
		}, {
			name: "OPENAI_SPEECH_MODEL", about: "The model that reads aloud. If empty, one is chosen from the server's list, except on Azure.",
			set: func(c *Config, v string) error { c.Models.Speech = v; return word(v) },
		}, {
			name: "OPENAI_SPEECH_VOICE", value: "alloy", about: "The voice that reads aloud.",
			set: func(c *Config, v string) error { c.Models.Voice = v; return word(v) },
		}, {
			name:  "OPENAI_TRANSCRIPTION_MODEL",
			about: "The model that transcribes speech. If empty, one is chosen from the server's list, except on Azure.",
			set:   func(c *Config, v string) error { c.Models.Transcription = v; return word(v) },
		},
	}
}
