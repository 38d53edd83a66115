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

// PlannerKind names what understands the requests.
type PlannerKind string

// What can understand the requests.
const (
	AutoPlanner  PlannerKind = "auto" // llm, once a model is set
	LLMPlanner   PlannerKind = "llm"
	RulesPlanner PlannerKind = "rules"
)

// ParsePlanner reads which it is.
func ParsePlanner(v string) (PlannerKind, error) {
	word, err := oneOf(v, string(AutoPlanner), string(LLMPlanner), string(RulesPlanner))
	return PlannerKind(word), err
}

// Models is what is set about language models and their servers.
type Models struct {
	Server Server
	// Name is the language model of the server; empty is one that Choice chooses, and so it is
	// for Image, Speech and Transcription.
	Name       string
	TokenField string
	Timeout    time.Duration
	Context    int // tokens of one call
	Budget     int // tokens of one request
	Vision     bool

	// Decomposer and DecomposerName are those of the first job, where another model
	// does it.
	Decomposer     Server
	DecomposerName string

	CloudMedia bool
	// Seeing is the model of the tools that look at pictures; empty is Name.
	Seeing                              string
	Image, Speech, Voice, Transcription string

	// Recorded tells that what a model is asked was answered before, and no server is needed; not
	// a variable.
	Recorded bool
}

// Server is where models are, and how it is spoken to.
type Server struct {
	BaseURL      string // empty is OpenAI's own
	Key          secret
	AzureVersion string
}

// Configured reports whether anything says that the server is there.
func (s Server) Configured() bool { return s.BaseURL != "" || s.Key != "" }

// secret is a value that is never printed.
type secret string

// String hides the value.
func (secret) String() string { return "(hidden)" }

// GoString hides it too.
func (secret) GoString() string { return "(hidden)" }

// resolve is the configuration with what follows from other settings, and what is wrong
// with settings that do not go together.
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
			wrong = append(wrong, "OPENAI_MODEL is set, and its server is not: "+
				"set OPENAI_API_KEY or OPENAI_BASE_URL too, or PLANNER=rules to go without a model.")
		}
	}
	if m.Server.AzureVersion != "" && m.Server.BaseURL == "" {
		wrong = append(wrong, "OPENAI_API_VERSION is set, and OPENAI_BASE_URL is not: it must name your resource of Azure OpenAI.")
	}
	if c.Planner != LLMPlanner {
		if c.WithoutPrior {
			wrong = append(wrong, "--no-prior-knowledge changes what a language model is told, and the planner is rules. Try it with --planner llm")
		}
		return c, wrong
	}
	if m.Recorded { // nobody is asked
		m.DecomposerName, m.Decomposer, m.Vision = "", Server{}, false
		return c, wrong
	}
	if !m.Server.Configured() {
		what := "The planner is to be a language model (PLANNER=llm or --planner llm), and none is set"
		if own {
			what = "The model of DECOMPOSER_MODEL only splits requests, and there is none for the rest"
		}
		wrong = append(wrong, what+": set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.")
	}
	if m.Name == "" && !m.Chooses() {
		wrong = append(wrong, "OPENAI_MODEL is missing: Azure OpenAI must be told which deployment is meant.")
	}
	if m.Decomposer.Configured() && m.DecomposerName == "" {
		wrong = append(wrong, "DECOMPOSER_MODEL is missing: DECOMPOSER_BASE_URL and DECOMPOSER_API_KEY are those of a model of its own.")
	}
	m.completeDecomposer()
	return c, append(wrong, m.checkVision()...)
}

// Chooses reports whether models are chosen where none is named: not with Azure, where they have
// the names that the operator gave them.
func (m *Models) Chooses() bool { return m.Server.AzureVersion == "" }

// MaxModelList is the most bytes of a server's list of models: gateways list thousands, with a
// description each.
const MaxModelList = 32 << 20

// OpenAIURL is the base URL of OpenAI's own server.
const OpenAIURL = "https://api.openai.com/v1"

// sameServer reports whether two base URLs are those of one server.
func sameServer(a, b string) bool {
	one, err := url.Parse(cmp.Or(strings.TrimSpace(a), OpenAIURL))
	if err != nil {
		return false
	}
	other, err := url.Parse(cmp.Or(strings.TrimSpace(b), OpenAIURL))
	return err == nil && strings.EqualFold(one.Scheme, other.Scheme) && strings.EqualFold(one.Hostname(), other.Hostname()) && portOf(one) == portOf(other) &&
		strings.TrimRight(one.Path, "/") == strings.TrimRight(other.Path, "/") && one.User.String() == other.User.String()
}

// portOf is the port that is dialed.
func portOf(u *url.URL) string {
	standard := map[string]string{"http": "80", "https": "443"}
	return cmp.Or(u.Port(), standard[strings.ToLower(u.Scheme)])
}

// SeeingModel is the model of the tools that look at pictures; "" is none.
func (m *Models) SeeingModel() string {
	if m.Seeing == NoModel {
		return ""
	}
	return cmp.Or(m.Seeing, m.Name)
}

// NoModel is the word for no model.
const NoModel = "none"

// Named reports whether a setting names a model or a server of models.
func (m *Models) Named() bool {
	return m.Server != Server{} || m.Decomposer != Server{} ||
		m.Name+m.DecomposerName+m.Seeing+m.Image+m.Speech+m.Transcription != ""
}

// DecomposerNames are those of the settings that are the decomposer's own.
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

// completeDecomposer takes the server of the other jobs where none of its own, or that one
// in other letters, is named. A key goes to the server that it was set for, and to no other.
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

// checkVision keeps pictures from leaving unless that is allowed.
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
			wrong = append(wrong, fmt.Sprintf("OPENAI_VISION is true, and %s is not in your own network: "+
				"set ALLOW_CLOUD_MEDIA=true to let pictures leave for it, or OPENAI_VISION=false.", e.Host()))
		}
	}
	return wrong
}
