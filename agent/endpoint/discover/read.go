package discover

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// model is what a server tells of one.
type model struct {
	name     string
	billions float64 // of parameters; 0 is not known
	other    bool    // it is for something else than chat
	away     bool    // it does not run on this machine
	loaded   bool
	sees     bool
	context  int // tokens; 0 is not known
}

// errNoList is what an answer fails with that is no list of models.
var errNoList = errors.New("the answer is not a list of models")

// readOllama reads GET /api/tags (Ollama API, list models). Models of its cloud name the host
// that they run on.
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

// readLoaded reads GET /api/ps (Ollama API, list running models): how many tokens each loaded
// model takes. Whatever cannot be read is as if it were not loaded.
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

// shown is what Ollama tells of one model.
type shown struct {
	chats, sees bool
	context     int // that the model itself sets; 0 where it sets none
}

// readShown reads POST /api/show (Ollama API, show model details). Servers that tell no
// capabilities are older than these, and the model is taken for one that chats.
func readShown(body []byte) shown {
	var e struct {
		Capabilities []string `json:"capabilities"`
		Parameters   string   `json:"parameters"`
	}
	if json.Unmarshal(body, &e) != nil || len(e.Capabilities) == 0 {
		return shown{chats: true}
	}
	s := shown{chats: slices.Contains(e.Capabilities, "completion"), sees: slices.Contains(e.Capabilities, "vision")}
	for line := range strings.Lines(e.Parameters) { // "num_ctx    8192", a parameter a line
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

// readLMStudio reads GET /api/v0/models (LM Studio, REST API v0).
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

// owners are the servers that run models themselves, by the owner that their lists name.
// LocalAI names none.
func owners() map[string]string {
	return map[string]string{"llamacpp": "llama.cpp", "vllm": "vLLM", "": "OpenAI-compatible server"}
}

// readOpenAI reads GET /v1/models, and tells by it which server answers. It fails for a server
// that is not known to run models itself.
func readOpenAI(body []byte) (server string, _ []model, err error) {
	entries, err := readData(body)
	if err != nil {
		return "", nil, err
	}
	foreign := false
	models := readEach(entries, func(e struct {
		ID     string  `json:"id"`
		Owner  string  `json:"owned_by"`
		Parent *string `json:"parent"`        // of vLLM's adapters
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

// readData finds the entries of a list of OpenAI's form.
func readData(body []byte) ([]json.RawMessage, error) {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return nil, errNoList
	}
	return list.Data, nil
}

// readEach reads the entries of a list. Malformed entries and invalid model names are left out.
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

// isName reports whether a text can be the name of a model: a path is one at llama.cpp.
func isName(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}
