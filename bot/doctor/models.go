package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/bot/output"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// examineModels checks the model servers without calling a model.
func (x examination) examineModels(ctx context.Context) []Finding {
	m := x.Models
	found := x.examineLocal()
	if x.Planner != settings.LLMPlanner {
		if !m.Server.Configured() {
			says := "None is used: requests are interpreted by rules, in English only. To use one, "
			if x.LocalModels {
				says += "start a model server on this machine, such as Ollama, on its default port, or "
			}
			return append(found, Finding{Missing, "language model", says + "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."})
		}
		found = append(found, Finding{
			Missing, "language model", "None is used to plan (PLANNER=rules): requests are interpreted by rules, in English only.",
		})
	}
	families, err := family.Read()
	if err != nil {
		return append(found, Finding{Wrong, "models", err.Error()})
	}
	look := modelLook{families: families, now: time.Now(), chooses: m.Chooses()}
	thing := "language model"
	if x.Planner != settings.LLMPlanner {
		thing = "model server"
	}
	var f Finding
	if look.host, look.listed, f = listModels(ctx, m.Server, thing, endpoint.Names{}); f.State != Healthy {
		return append(found, f)
	}
	planner := look.use(family.Chat, "OPENAI_MODEL", m.Name)
	if x.Planner == settings.LLMPlanner {
		f = look.checkModel(thing, planner)
	}
	found = append(found, f)
	if m.Chooses() {
		tools := []use{
			look.use(family.Image, "OPENAI_IMAGE_MODEL", m.Image), look.use(family.Speech, "OPENAI_SPEECH_MODEL", m.Speech),
			look.use(family.Transcription, "OPENAI_TRANSCRIPTION_MODEL", m.Transcription),
		}
		found = append(found, look.ofTools(tools)...)
		uses := slices.Concat(tools, []use{planner})
		if m.SeeingModel() != "" {
			uses = append(uses, look.use(family.Chat, "OPENAI_VISION_MODEL", m.SeeingModel()))
		}
		found = append(found, look.ends(uses...)...)
	}
	if x.Planner == settings.LLMPlanner && m.DecomposerName != "" {
		const thing = "model for splitting"
		if look.host, look.listed, f = listModels(ctx, m.Decomposer, thing, m.DecomposerNames()); f.State == Healthy {
			splits := use{role: family.Chat, variable: "DECOMPOSER_MODEL", model: m.DecomposerName, named: true}
			found = append(found, look.ends(splits)...)
			f = look.checkModel(thing, splits)
		}
		found = append(found, f)
	}
	return found
}

// listModels lists the models of a server, none if it does not list them. That is free of charge. If the
// server cannot be used, the finding says why.
func listModels(ctx context.Context, s settings.Server, thing string, names endpoint.Names) (host string, listed []endpoint.Model, f Finding) {
	ctx, done := context.WithTimeout(ctx, modelPatience)
	defer done()
	e, err := workshop.SpeakTo(s, endpoint.Config{Timeout: modelPatience, Retries: -1, MaxBody: settings.MaxModelList, Names: names})
	if err != nil {
		return "", nil, Finding{Wrong, thing, err.Error()}
	}
	host = e.Host()
	listed, err = e.Models(ctx)
	switch endpoint.KindOf(err) {
	case "":
		if err != nil {
			return host, nil, failed(thing, err, "The model server at "+host+" does not answer in time.")
		}
	case endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.TooLong, endpoint.Rejected:
		// Some keys may use a model but not list it.
		return host, nil, Finding{Healthy, thing, "The server at " + host + " answers, but does not list its models."}
	case endpoint.Down, endpoint.TimedOut:
		address := cmp.Or(names.BaseURL, "OPENAI_BASE_URL")
		return host, nil, Finding{Wrong, thing, fmt.Sprintf("The server at %s does not answer: check that it is running, and %s.", host, address)}
	default:
		return host, nil, failed(thing, err, "The model server at "+host+" cannot be used.")
	}
	return host, listed, Finding{Healthy, thing, fmt.Sprintf("The server at %s answers, with %s.", host, output.Counted(len(listed), "model"))}
}

// modelLook checks the models of one server.
type modelLook struct {
	host     string
	listed   []endpoint.Model
	families *family.Families
	now      time.Time
	chooses  bool // whether we choose a model if none is configured
}

// use is a purpose and the model for it.
type use struct {
	role     family.Role
	variable string
	model    string // "" is none
	named    bool   // by the operator
}

// use returns the model for a purpose: the configured one, or our choice.
func (l modelLook) use(role family.Role, variable, named string) use {
	u := use{role: role, variable: variable, model: named, named: named != ""}
	if of := l.families.Of(role, l.listed, l.now); !u.named && l.chooses && len(of) > 0 {
		u.model = of[0]
	}
	return u
}

// checkModel checks that the server has a model that planning needs.
func (l modelLook) checkModel(thing string, u use) Finding {
	at := fmt.Sprintf("%s at %s", u.model, l.host)
	has := slices.ContainsFunc(l.listed, func(m endpoint.Model) bool { return m.Serves(u.model) })
	switch {
	case u.model == "":
		says := fmt.Sprintf("The server at %s lists %s, and it is not clear which to use: set %s to one of them",
			l.host, output.Counted(len(l.listed), "model"), u.variable)
		if some := family.Examples(l.listed); some != "" {
			says += ", such as " + some
		}
		return Finding{Wrong, thing, says + "."}
	case len(l.listed) == 0:
		return Finding{Healthy, thing, at + "; the server does not list its models."}
	case len(l.listed) > 1 && !has:
		return Finding{Wrong, thing, fmt.Sprintf("The server at %s lists %s, and %s is not among them: set %s to one of these.",
			l.host, output.Counted(len(l.listed), "model"), u.model, u.variable)}
	case !u.named:
		return Finding{Healthy, thing, fmt.Sprintf("%s can be used. It was chosen from the server's list; set %s to use another one.", at, u.variable)}
	}
	return Finding{Healthy, thing, at + " can be used."}
}

// ofTools lists the models of the tools, and the purposes without one.
func (l modelLook) ofTools(uses []use) []Finding {
	does := map[family.Role]string{family.Image: "draws", family.Speech: "reads aloud", family.Transcription: "transcribes speech"}
	var has, lacks []string
	for _, u := range uses {
		if u.model == "" {
			lacks = append(lacks, u.variable)
		} else {
			has = append(has, u.model+" "+does[u.role])
		}
	}
	var found []Finding
	if len(has) > 0 {
		found = append(found, Finding{Healthy, "models of tools", fmt.Sprintf("At %s %s.", l.host, strings.Join(has, ", "))})
	}
	if len(lacks) > 0 {
		found = append(found, Finding{Missing, "more models", fmt.Sprintf("No model that %s lists is known to suit these settings: "+
			"set %s if it has one.", l.host, strings.Join(lacks, ", "))})
	}
	return found
}

// ends warns of models in use that will be shut down, and names their successors.
func (l modelLook) ends(uses ...use) []Finding {
	var found []Finding
	for _, u := range uses {
		at := slices.IndexFunc(l.listed, func(m endpoint.Model) bool { return m.Name == u.model && !m.Ends.IsZero() })
		thing := "model " + u.model
		if at < 0 || slices.ContainsFunc(found, func(f Finding) bool { return f.Thing == thing }) {
			continue
		}
		m := l.listed[at]
		f := Finding{Warning, thing, fmt.Sprintf("The server at %s shuts it down on %s", l.host, m.Ends.Format(time.DateOnly))}
		if m.Ended(l.now) {
			f = Finding{Wrong, thing, fmt.Sprintf("The server at %s shut it down on %s", l.host, m.Ends.Format(time.DateOnly))}
		}
		var next string
		if of := l.families.Of(u.role, l.listed, m.Ends); len(of) > 0 {
			next = of[0]
		}
		switch {
		case next == "":
			f.Says += fmt.Sprintf(", and lists no known replacement: set %s to another model.", u.variable)
		case u.named:
			f.Says += fmt.Sprintf(": set %s to another one, such as %s.", u.variable, next)
		default:
			f.Says += fmt.Sprintf("; then %s replaces it.", next)
		}
		found = append(found, f)
	}
	return found
}

// examineLocal lists the model servers that were found on this machine.
func (x examination) examineLocal() []Finding {
	const thing = "model server here"
	var found []Finding
	for _, s := range x.Local {
		at := fmt.Sprintf("%s at %s", s.Name, s.Address)
		if s.Model == "" {
			found = append(found, Finding{Missing, thing, fmt.Sprintf("%s runs on this machine, with %s, but none is used: "+
				"they are too small, not for chat, or the choice is ambiguous. "+
				"To use one anyway, set OPENAI_BASE_URL=%s and OPENAI_MODEL.", at, output.Counted(s.Models, "model"), s.BaseURL)})
			continue
		}
		found = append(found, Finding{Healthy, thing, fmt.Sprintf("%s was found on this machine, and its model %s is used, since no model server is "+
			"configured. %s=false disables this; set OPENAI_BASE_URL and OPENAI_MODEL to use another one.", at, s.Model, settings.LocalModelsSetting)})
		if x.Models.Context < easyContext {
			found = append(found, Finding{Missing, "model's context", fmt.Sprintf("%s is assumed to have a context of %d tokens, so it is offered fewer "+
				"tools. Set the server's context to %d (Ollama: OLLAMA_CONTEXT_LENGTH), and set OPENAI_CONTEXT to the same.",
				s.Model, x.Models.Context, usualContext)})
		}
	}
	return found
}

const (
	// easyContext is the context that the full prompts need, in tokens. usualContext is the default
	// of OPENAI_CONTEXT.
	easyContext  = 16_384
	usualContext = 32_768
)
