package evaluate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"atelier/agent/evaluate"
	"atelier/agent/planner/llm"
	"atelier/agent/planner/llm/replay"
	"atelier/agent/toolbox"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/bot/settings"
)

// tape is a folder with the answers of a language model. A nil one holds none.
type tape struct {
	folder     string
	recordings *replay.Recordings
	about      replay.About
}

// openTape opens the folder that the flags name; nil if they name none.
func (e *Command) openTape() (*tape, error) {
	folder := string(e.Replay + e.Record) // one of them is empty
	if folder == "" {
		return nil, nil //nolint:nilnil // there is no tape, and that is as well
	}
	recordings, err := replay.Open(folder)
	if err != nil {
		return nil, fault.Usage("The answers in %s cannot be read: %s.", folder, err)
	}
	about, err := recordings.About()
	if err != nil {
		return nil, fault.Usage("The answers in %s cannot be read: %s.", folder, err)
	}
	if e.Replay != "" && len(recordings.Requests()) == 0 {
		return nil, fault.Usage("No answers are recorded in %s.", folder)
	}
	for _, model := range recordings.Models() {
		if about.Model != "" && model != about.Model && model != about.Decomposer {
			return nil, fault.Usage("The answers in %s are not all of the model that it says: some are of %s. "+
				"Record them into a folder of their own.", folder, model)
		}
	}
	return &tape{folder, recordings, about}, nil
}

// has reports whether answers to a request are recorded.
func (t *tape) has(id string) bool { return slices.Contains(t.recordings.Requests(), id) }

// record keeps what the models answer from now on. Answers of different makes in one
// folder would be told apart by nothing, so that it is refused to add to such ones.
func (t *tape) record(c settings.Config, b benchmark) (func(http.RoundTripper) http.RoundTripper, error) {
	about, err := today(c, b.catalogue)
	if err != nil {
		return nil, err
	}
	if len(t.recordings.Requests()) > 0 && !about.Equal(t.about) {
		return nil, fault.Usage("The answers in %s were given by another model, with other settings, to other prompts or about other tools. "+
			"Record into another folder.", t.folder)
	}
	if err := t.recordings.SetAbout(about); err != nil {
		return nil, fault.Usage("The answers cannot be kept in %s: %s.", t.folder, fault.Reason(err))
	}
	return t.recordings.Record, nil
}

// today is what would be written about recordings that are made now.
func today(c settings.Config, tools *toolbox.Catalogue) (replay.About, error) {
	catalogue, err := version(tools)
	if err != nil {
		return replay.About{}, err
	}
	m := c.Models
	return replay.About{
		Model: m.Name, Decomposer: m.DecomposerName, Prompts: llm.Versions(), Catalogue: catalogue,
		Context: cmp.Or(m.Context, llm.DefaultContextTokens), WithoutPrior: c.WithoutPrior,
	}, nil
}

// over puts the settings that the answers were recorded with over those of today.
func (t *tape) over(c *settings.Config) {
	m := &c.Models
	m.Recorded, m.Name = true, cmp.Or(makers(t.about.Model, t.about.Decomposer), "a model that was not written down")
	m.Context = cmp.Or(t.about.Context, m.Context)
	c.WithoutPrior = t.about.WithoutPrior
}

// makers names the models that make the plans.
func makers(model, decomposer string) string {
	if decomposer == "" || decomposer == model {
		return model
	}
	return decomposer + " and " + model
}

// version names what a catalogue says of its tools by a short hash. How they run is left
// out, since no planner is told of it.
func version(c *toolbox.Catalogue) (string, error) {
	tools := slices.Clone(c.Tools())
	for i := range tools {
		tools[i].Backends, tools[i].Suffix = nil, ""
	}
	b, err := json.Marshal(tools) //nolint:musttag // it is hashed and never read
	if err != nil {
		return "", fmt.Errorf("version of the catalogue: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4]), nil
}

// recorded is where replayed answers are from.
type recorded struct {
	replay.About

	// Current tells that prompts and catalogue are still the same.
	Current bool `json:"current"`
	// Stale counts the answers that were given to questions which read otherwise now.
	Stale int `json:"stale"`
}

// tell says by what the plans were made.
func (e *Command) tell(r *evaluate.Report, config settings.Config, b benchmark, t *tape) (*Measured, error) {
	m := &Measured{Report: r, Planner: string(settings.RulesPlanner), by: "Planned by the rules."}
	switch {
	case config.Planner != settings.LLMPlanner:
		if t != nil {
			m.by = fmt.Sprintf("Planned by the rules: the requests that are recorded in %s.", t.folder)
		}
	case config.Models.Recorded:
		now, err := today(config, b.catalogue)
		if err != nil {
			return nil, err
		}
		m.Planner = config.Models.Name
		m.Recorded = &recorded{About: t.about, Stale: len(t.recordings.Stale())}
		m.by = m.Recorded.compare(now)
	default:
		m.Planner = makers(config.Models.Name, config.Models.DecomposerName)
		m.by = fmt.Sprintf("Planned by %s.", m.Planner)
		if t != nil {
			m.by = fmt.Sprintf("Planned by %s, whose answers are kept in %s.", m.Planner, t.folder)
		}
	}
	return m, nil
}

// settings tells those of the settings that are not the usual ones.
func (r *recorded) settings() string {
	said := ""
	if r.WithoutPrior {
		said += "without prior knowledge; "
	}
	if r.Context != 0 && r.Context != llm.DefaultContextTokens {
		said += fmt.Sprintf("context %d tokens; ", r.Context)
	}
	return said
}

// compare says what the answers were recorded with, and what has changed since.
func (r *recorded) compare(now replay.About) string {
	var changed []string
	for _, job := range slices.Sorted(maps.Keys(now.Prompts)) {
		if r.Prompts[job] != now.Prompts[job] {
			changed = append(changed, "the prompt "+job)
		}
	}
	if r.Catalogue != now.Catalogue {
		changed = append(changed, "the catalogue")
	}
	r.Current = len(changed) == 0
	var prompts []string
	for _, job := range slices.Sorted(maps.Keys(r.Prompts)) {
		prompts = append(prompts, job+" "+r.Prompts[job])
	}
	said := fmt.Sprintf("Planned with recorded answers of %s (prompts: %s; %scatalogue %s). ",
		makers(r.Model, r.Decomposer), strings.Join(prompts, ", "), r.settings(), r.Catalogue)
	if r.Current {
		said += "Prompts and catalogue are those of today"
	} else {
		said += "Changed since: " + strings.Join(changed, ", ")
	}
	if r.Stale > 0 {
		said += fmt.Sprintf("; %s to questions that read otherwise now", output.Counted(r.Stale, "answer"))
	}
	return said + "."
}
