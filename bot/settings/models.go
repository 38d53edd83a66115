package settings

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
)

// PlannerKind names a planner.
type PlannerKind string

// The planners.
const (
	AutoPlanner  PlannerKind = "auto" // llm if a model is configured, else rules
	LLMPlanner   PlannerKind = "llm"
	RulesPlanner PlannerKind = "rules"
)

// ParsePlanner parses the name of a planner.
func ParsePlanner(v string) (PlannerKind, error) {
	word, err := oneOf(v, string(AutoPlanner), string(LLMPlanner), string(RulesPlanner))
	return PlannerKind(word), err
}

// Models holds the settings for language models and their servers.
type Models struct {
	Server Server
	// Name is the language model. If it is empty, Choice chooses one, as for Image, Speech and
	// Transcription.
	Name       string
	TokenField string
	Timeout    time.Duration
	Context    int // maximum tokens per call
	Budget     int // maximum tokens per request
	Vision     bool

	// Decomposer and DecomposerName are set if another model splits requests.
	Decomposer     Server
	DecomposerName string

	CloudMedia bool
	// Seeing is the model for tools that look at pictures; if empty, Name.
	Seeing                              string
	Image, Speech, Voice, Transcription string

	// Recorded means that recorded answers are replayed, so no server is needed. It is not a variable.
	Recorded bool
}

// Server is a model server.
type Server struct {
	BaseURL      string // if empty, OpenAI's own
	Key          secret
	AzureVersion string
}

// Configured reports whether a server is set.
func (s Server) Configured() bool { return s.BaseURL != "" || s.Key != "" }

// secret is a value that is never printed.
type secret string

// String hides the value.
func (secret) String() string { return "(hidden)" }

// GoString hides it too.
func (secret) GoString() string { return "(hidden)" }

// resolve fills in settings that follow from others, and returns sentences about settings that do not go
// together.
func resolve(c Config) (_ Config, wrong []string) {
	wrong = slices.Concat(c.Storage.check(), c.Slack.check(), giveKeys(c))
	m := &c.Models
	own := m.DecomposerName != "" || m.Decomposer.Configured()
	if c.Planner == AutoPlanner {
		c.Planner = RulesPlanner
		switch {
		case m.Server.Configured() || own:
			c.Planner = LLMPlanner
		case m.Name != "":
			wrong = append(wrong, "OPENAI_MODEL is set, but its server is not: "+
				"set OPENAI_API_KEY or OPENAI_BASE_URL too, or PLANNER=rules to use no model.")
		}
	}
	if m.Server.AzureVersion != "" && m.Server.BaseURL == "" {
		wrong = append(wrong, "OPENAI_API_VERSION is set, but OPENAI_BASE_URL is not: set it to your Azure OpenAI resource.")
	}
	if c.Planner != LLMPlanner {
		if c.WithoutPrior {
			wrong = append(wrong, "--no-prior-knowledge changes the prompts of a language model, but the planner is rules. Use it with --planner llm")
		}
		return c, wrong
	}
	if m.Recorded { // no model is called
		m.DecomposerName, m.Decomposer, m.Vision = "", Server{}, false
		return c, wrong
	}
	if !m.Server.Configured() {
		what := "PLANNER=llm or --planner llm needs a language model, and none is set"
		if own {
			what = "DECOMPOSER_MODEL only splits requests, and there is no model for the rest"
		}
		wrong = append(wrong, what+": set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.")
	}
	if m.Name == "" && !m.Chooses() {
		wrong = append(wrong, "OPENAI_MODEL is missing: Azure OpenAI needs the name of the deployment.")
	}
	if m.Decomposer.Configured() && m.DecomposerName == "" {
		wrong = append(wrong, "DECOMPOSER_MODEL is missing: DECOMPOSER_BASE_URL and DECOMPOSER_API_KEY are for that model.")
	}
	m.completeDecomposer()
	return c, append(wrong, m.checkVision()...)
}

// Chooses reports whether missing models are chosen from the server's list. They are not with Azure, where
// the operator names the deployments.
func (m *Models) Chooses() bool { return m.Server.AzureVersion == "" }

// MaxModelList is the maximum size of a server's list of models, in bytes: gateways list thousands, each
// with a description.
const MaxModelList = 32 << 20

// OpenAIURL is the base URL of OpenAI's own server.
const OpenAIURL = "https://api.openai.com/v1"

// sameServer reports whether two base URLs point to the same server.
func sameServer(a, b string) bool {
	one, err := url.Parse(cmp.Or(strings.TrimSpace(a), OpenAIURL))
	if err != nil {
		return false
	}
	other, err := url.Parse(cmp.Or(strings.TrimSpace(b), OpenAIURL))
	return err == nil && strings.EqualFold(one.Scheme, other.Scheme) && strings.EqualFold(one.Hostname(), other.Hostname()) && portOf(one) == portOf(other) &&
		strings.TrimRight(one.Path, "/") == strings.TrimRight(other.Path, "/") && one.User.String() == other.User.String()
}

// portOf is the port of a URL, by default that of its scheme.
func portOf(u *url.URL) string {
	standard := map[string]string{"http": "80", "https": "443"}
	return cmp.Or(u.Port(), standard[strings.ToLower(u.Scheme)])
}

// SeeingModel is the model for tools that look at pictures; "" for none.
func (m *Models) SeeingModel() string {
	if m.Seeing == NoModel {
		return ""
	}
	return cmp.Or(m.Seeing, m.Name)
}

// NoModel is the value for no model.
const NoModel = "none"

// Named reports whether a setting names a model or a server of models.
func (m *Models) Named() bool {
	return m.Server != Server{} || m.Decomposer != Server{} ||
		m.Name+m.DecomposerName+m.Seeing+m.Image+m.Speech+m.Transcription != ""
}

// DecomposerNames are the names of the decomposer's settings, for errors.
func (m *Models) DecomposerNames() endpoint.Names {
	names := endpoint.Names{Model: "DECOMPOSER_MODEL"}
	if m.Decomposer.BaseURL != m.Server.BaseURL {
		names.BaseURL, names.Key = "DECOMPOSER_BASE_URL", "DECOMPOSER_API_KEY"
	}
	if m.Decomposer.Key != m.Server.Key {
		names.Key = "DECOMPOSER_API_KEY"
	}
	return names
}

// completeDecomposer uses the main server for the decomposer unless another one is set. A key is only sent
// to the server that it was set for.
func (m *Models) completeDecomposer() {
	if m.DecomposerName == "" || m.Decomposer.BaseURL != "" && !sameServer(m.Decomposer.BaseURL, m.Server.BaseURL) {
		return
	}
	key := m.Decomposer.Key
	m.Decomposer = m.Server
	if key != "" {
		m.Decomposer.Key = key
	}
}

// checkVision rejects OPENAI_VISION for a server on the internet unless media may be sent there.
func (m *Models) checkVision() []string {
	if !m.Vision || m.CloudMedia {
		return nil
	}
	servers := []Server{m.Server}
	if m.DecomposerName != "" && m.Decomposer != m.Server {
		servers = append(servers, m.Decomposer)
	}
	var wrong []string
	for _, s := range servers {
		e, err := endpoint.New(endpoint.Config{BaseURL: s.BaseURL})
		if err == nil && !e.Private() {
			wrong = append(wrong, fmt.Sprintf("OPENAI_VISION is true, but %s is not in your own network: "+
				"set ALLOW_CLOUD_MEDIA=true to allow sending pictures to it, or OPENAI_VISION=false.", e.Host()))
		}
	}
	return wrong
}
