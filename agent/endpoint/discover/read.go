package discover

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// model is a server's description of a model.
type model struct {
	name     string
	billions float64 // of parameters; 0 if unknown
	other    bool    // not a chat model
	away     bool    // does not run on this machine
	loaded   bool
	sees     bool
	context  int // tokens; 0 if unknown
}

// errNoList is returned for a response that is not a list of models.
var errNoList = errors.New("the answer is not a list of models")

// readOllama parses GET /api/tags (Ollama API, list models). Cloud models name their remote host.
func readOllama(body []byte) ([]model, error) {
	var list struct {
		Models []json.RawMessage `json:"models"`
	}
	if json.Unmarshal(body, &list) != nil || list.Models == nil {
		return nil, errNoList
	}
	return readEach(list.Models, func(e struct {
		Name        string `json:"name"`
		RemoteHost  string `json:"remote_host"`
		RemoteModel string `json:"remote_model"`
		Details     struct {
			Parameters string `json:"parameter_size"`
		} `json:"details"`
		Capabilities []string `json:"capabilities"`
	},
	) model {
		return model{
			name: e.Name, billions: parameters(e.Details.Parameters),
			away:  e.RemoteHost != "" || e.RemoteModel != "" || strings.HasSuffix(e.Name, "-cloud") || strings.HasSuffix(e.Name, ":cloud"),
			other: len(e.Capabilities) > 0 && !slices.Contains(e.Capabilities, "completion"),
		}
	}), nil
}

// readLoaded parses GET /api/ps (Ollama API, list running models): the context size of each loaded
// model. Models in an unreadable response count as not loaded.
func readLoaded(body []byte) map[string]int {
	var list struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	windows := map[string]int{}
	if json.Unmarshal(body, &list) == nil {
		for _, m := range list.Models {
			windows[m.Name] = max(m.Context, 0)
		}
	}
	return windows
}

// shown is Ollama's description of one model.
type shown struct {
	chats, sees bool
	context     int // tokens, if the model sets it; else 0
}

// readShown parses POST /api/show (Ollama API, show model details). Older servers report no
// capabilities; then the model is assumed to chat.
func readShown(body []byte) shown {
	var e struct {
		Capabilities []string `json:"capabilities"`
		Parameters   string   `json:"parameters"`
	}
	if json.Unmarshal(body, &e) != nil || len(e.Capabilities) == 0 {
		return shown{chats: true}
	}
	s := shown{chats: slices.Contains(e.Capabilities, "completion"), sees: slices.Contains(e.Capabilities, "vision")}
	for line := range strings.Lines(e.Parameters) { // "num_ctx    8192", one parameter per line
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "num_ctx" {
			continue
		}
		if n, err := strconv.Atoi(words[1]); err == nil {
			s.context = max(n, 0)
		}
	}
	return s
}

// readLMStudio parses GET /api/v0/models (LM Studio, REST API v0).
func readLMStudio(body []byte) ([]model, error) {
	entries, err := readData(body)
	if err != nil {
		return nil, err
	}
	return readEach(entries, func(e struct {
		ID     string `json:"id"`
		Type   string `json:"type"`
		State  string `json:"state"`
		Window int    `json:"loaded_context_length"`
	},
	) model {
		return model{
			name: e.ID, other: e.Type != "llm" && e.Type != "vlm", sees: e.Type == "vlm",
			loaded: e.State == "loaded", context: e.Window,
		}
	}), nil
}

// owners maps the owner in a model list to the server, for servers that run models themselves.
// LocalAI names no owner.
func owners() map[string]string {
	return map[string]string{"llamacpp": "llama.cpp", "vllm": "vLLM", "": "OpenAI-compatible server"}
}

// readOpenAI parses GET /v1/models and identifies the server. It fails for servers that are not
// known to run models themselves.
func readOpenAI(body []byte) (server string, _ []model, err error) {
	entries, err := readData(body)
	if err != nil {
		return "", nil, err
	}
	foreign := false
	models := readEach(entries, func(e struct {
		ID     string  `json:"id"`
		Owner  string  `json:"owned_by"`
		Parent *string `json:"parent"`        // set for vLLM's adapters
		Window int     `json:"max_model_len"` // vLLM
		Meta   *struct {
			Parameters float64 `json:"n_params"`
			Window     int     `json:"n_ctx"`
			Trained    int     `json:"n_ctx_train"`
		} `json:"meta"` // llama.cpp
		Architecture *struct {
			Reads []string `json:"input_modalities"`
			Makes []string `json:"output_modalities"`
		} `json:"architecture"` // llama.cpp
	},
	) model {
		name, known := owners()[e.Owner]
		server, foreign = name, foreign || !known
		m := model{name: e.ID, context: e.Window, other: e.Parent != nil && *e.Parent != ""}
		if e.Meta != nil {
			m.billions, m.context = e.Meta.Parameters/1e9, e.Meta.Window
			if m.context == 0 {
				m.context = e.Meta.Trained
			}
		}
		if e.Architecture != nil {
			m.sees = slices.Contains(e.Architecture.Reads, "image")
			m.other = m.other || !slices.Contains(e.Architecture.Makes, "text")
		}
		return m
	})
	if foreign || len(models) == 0 {
		return "", nil, errNoList
	}
	return server, models, nil
}

// readData extracts the entries of a list in OpenAI's format.
func readData(body []byte) ([]json.RawMessage, error) {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return nil, errNoList
	}
	return list.Data, nil
}

// readEach parses the entries of a list, skipping malformed entries and invalid model names.
func readEach[E any](entries []json.RawMessage, read func(E) model) []model {
	var models []model
	for _, entry := range entries {
		var e E
		if json.Unmarshal(entry, &e) != nil {
			continue
		}
		if m := read(e); isName(m.name) {
			m.context = max(m.context, 0)
			if m.billions <= 0 { // JSON has no NaN
				m.billions = parametersIn(m.name)
			}
			models = append(models, m)
		}
	}
	return models
}

// isName reports whether a text can be a model's name. At llama.cpp it can be a path.
func isName(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}
