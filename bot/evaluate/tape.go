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

// tape is a folder with recorded answers of a language model.
type tape struct {
	folder     string
	recordings *replay.Recordings
	about      replay.About
}

// openTape opens the folder of --record or --replay; nil without these flags.
func (e *Command) openTape() (*tape, error) {
	folder := string(e.Replay + e.Record) // one of them is empty
	if folder == "" {
		return nil, nil //nolint:nilnil // no tape is needed
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
			return nil, fault.Usage("Some answers in %s are from the model %s, which is not in its metadata. "+
				"Record each model into its own folder.", folder, model)
		}
	}
	return &tape{folder, recordings, about}, nil
}

// has reports whether answers to a request are recorded.
func (t *tape) has(id string) bool { return slices.Contains(t.recordings.Requests(), id) }

// record returns a transport that records answers. It rejects a folder whose answers were recorded with
// another model, settings, prompts or tools, since they could not be told apart.
func (t *tape) record(c settings.Config, b benchmark) (func(http.RoundTripper) http.RoundTripper, error) {
	about, err := today(c, b.catalogue)
	if err != nil {
		return nil, err
	}
	if len(t.recordings.Requests()) > 0 && !about.Equal(t.about) {
		return nil, fault.Usage("The answers in %s were recorded with another model, or with other settings, prompts or tools. "+
			"Record into another folder.", t.folder)
	}
	if err := t.recordings.SetAbout(about); err != nil {
		return nil, fault.Usage("The answers cannot be stored in %s: %s.", t.folder, fault.Reason(err))
	}
	return t.recordings.Record, nil
}

// today describes recordings that would be made now.
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

// over applies the settings with which the answers were recorded.
func (t *tape) over(c *settings.Config) {
	m := &c.Models
	m.Recorded, m.Name = true, cmp.Or(makers(t.about.Model, t.about.Decomposer), "an unknown model")
	m.Context = cmp.Or(t.about.Context, m.Context)
	c.WithoutPrior = t.about.WithoutPrior
}

// makers names the models that plan.
func makers(model, decomposer string) string {
	if decomposer == "" || decomposer == model {
		return model
	}
	return decomposer + " and " + model
}

// version is a short hash of the tools' descriptions. Their backends are left out, since planners do
// not see them.
func version(c *toolbox.Catalogue) (string, error) {
	tools := slices.Clone(c.Tools())
	for i := range tools {
		tools[i].Backends, tools[i].Suffix = nil, ""
	}
	b, err := json.Marshal(tools) //nolint:musttag // it is only hashed
	if err != nil {
		return "", fmt.Errorf("version of the catalogue: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4]), nil
}

// recorded describes the replayed answers.
type recorded struct {
	replay.About

	// Current reports whether the prompts and the catalogue are unchanged.
	Current bool `json:"current"`
	// Stale counts answers to prompts that have changed since.
	Stale int `json:"stale"`
}

// tell adds to the report how the plans were made.
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
			m.by = fmt.Sprintf("Planned by %s, with the answers recorded in %s.", m.Planner, t.folder)
		}
	}
	return m, nil
}

// settings lists the settings that differ from the defaults.
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

// compare describes the recordings and what has changed since.
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
		said += "Prompts and catalogue are unchanged"
	} else {
		said += "Changed since: " + strings.Join(changed, ", ")
	}
	if r.Stale > 0 {
		said += fmt.Sprintf("; %s to prompts that have changed", output.Counted(r.Stale, "answer"))
	}
	return said + "."
}
