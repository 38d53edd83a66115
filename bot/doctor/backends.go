package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/sandbox"
	"atelier/bot/output"
	"atelier/bot/settings"
)

// besideOpenAI is the suffix of the name of a LocalAI server that is used through OpenAI's API.
const besideOpenAI = "-" + settings.OpenAIKind

// examineServers checks the servers that tools run on. Tools without a server are checked
// elsewhere.
func (x examination) examineServers(ctx context.Context, tools *toolbox.Toolbox) []Finding {
	all, err := tools.Health(ctx)
	if err != nil {
		return []Finding{failed("servers", err, "They could not be checked.")}
	}
	var found []Finding
	for _, h := range all {
		if h.Server != settings.BuiltinKind && h.Server != settings.ProgramKind && h.Server != settings.CommandKind {
			found = append(found, x.serverFinding(h))
		}
	}
	return found
}

// serverFinding returns the state of one server.
func (x examination) serverFinding(h toolbox.Health) Finding {
	f := Finding{Healthy, "server " + h.Server, fmt.Sprintf("It answers, and can run %s.", output.Counted(h.Ways, "tool backend"))}
	switch {
	case h.All == 0:
		f.State, f.Says = Missing, "No tool runs on it."
	case h.State == toolbox.Loading:
		f.Says = "It answers, and is loading its models."
	case h.State == toolbox.Down && h.Server == settings.ImproviseKind: // without it, requests without a fitting tool are refused
		f.State, f.Says = Missing, h.Why
	case h.State == toolbox.Down && h.Server == settings.WeatherServer: // nobody configured it
		f.State, f.Says = Missing, fmt.Sprintf("%s Without it there is no weather; %s.", h.Why, x.remedy(h.Server))
	case h.State == toolbox.Down && h.Kind == settings.ServiceKind: // its own sentence says what to do
		f.State, f.Says = Wrong, h.Why
	case h.State == toolbox.Down && strings.HasSuffix(h.Server, besideOpenAI): // the same server is reported under its own name
		f.State, f.Says = Missing, h.Why
	case h.State == toolbox.Down:
		f.State, f.Says = Wrong, fmt.Sprintf("%s Check that it runs, and %s.", h.Why, x.remedy(h.Server))
	case h.Ways < h.All:
		f.Says += fmt.Sprintf(" %d more cannot: bot tools --servers --json", h.All-h.Ways)
	}
	return f
}

// remedy names the setting of a server.
func (x examination) remedy(server string) string {
	if slices.ContainsFunc(x.Backends.Servers, func(s settings.BackendServer) bool { return s.Name == server && s.URL != "" }) {
		return "its entry in BACKENDS_FILE"
	}
	switch server {
	case settings.ToolServer:
		return "TOOL_SERVER_URL and TOOL_SERVER_TOKEN"
	case settings.LocalAIKind:
		return "LOCALAI_URL and LOCALAI_API_KEY"
	case settings.HuggingFaceServer:
		return "HF_TOKEN and ALLOW_CLOUD_MEDIA"
	case settings.WeatherServer:
		return "WEATHER_URL and PLACES_URL name another one"
	}
	return "OPENAI_BASE_URL and OPENAI_API_KEY"
}

// examinePrograms checks that the media programs of tools are installed, and run in a sandbox.
func (x examination) examinePrograms(ctx context.Context) []Finding {
	box, err := sandbox.New(sandbox.Config{})
	if err != nil {
		return []Finding{failed("programs", err, "They cannot be run.")}
	}
	films, err := ffmpeg.New(ffmpeg.Config{Limits: x.Limits()})
	if err != nil {
		return []Finding{failed("programs", err, "They cannot be run.")}
	}
	b, err := program.New(program.Config{Sandbox: box, FFmpeg: films, Limits: x.Limits()})
	if err != nil {
		return []Finding{failed("programs", err, "They cannot be run.")}
	}
	catalogue, err := x.ReadCatalogue()
	if err != nil {
		return []Finding{failed("programs", err, "The catalogue of tools cannot be read.")}
	}
	return []Finding{programsFinding(b.Programs(catalogue.Tools())), confinementFinding(box.Confinement(ctx)), x.memoryFinding()}
}

// programsFinding says which programs are missing, and how to install them.
func programsFinding(all []program.Program) Finding {
	var absent, packages, present []string
	for _, p := range all {
		if p.Found {
			present = append(present, p.Name)
			continue
		}
		absent = append(absent, p.Name)
		if p.Debian != "" && !slices.Contains(packages, p.Debian) {
			packages = append(packages, p.Debian)
		}
	}
	if len(absent) == 0 {
		return Finding{Healthy, "programs", "All programs of the tools are installed: " + strings.Join(present, ", ") + "."}
	}
	says := strings.Join(absent, ", ") + " cannot be found, so tools that need them cannot run. Install them"
	if len(packages) == 0 {
		return Finding{Missing, "programs", says + "."}
	}
	return Finding{Missing, "programs", says + ", on Debian with: apt-get install " + strings.Join(packages, " ")}
}

// memoryFinding says how much memory there is.
func (x examination) memoryFinding() Finding {
	const largest = 20 // the maximum number of bytes per pixel
	limit, enough := x.Memory.Limit()/1_000_000, x.Pixels*largest*4/3
	f := Finding{Healthy, "memory", fmt.Sprintf("This process and its programs may use %d MB, three quarters of it for media.", limit)}
	if limit < enough {
		f.State = Missing
		f.Says += fmt.Sprintf(" The largest allowed pictures may need more, and are then refused: "+
			"set ATELIER_MEMORY_MB or the container's limit to %d, or ATELIER_MAX_MEGAPIXELS to less.", enough)
	}
	return f
}

// confinementFinding says whether the kernel can confine programs, and as which user they run.
func confinementFinding(c sandbox.Confinement) Finding {
	if c.Lacks != nil {
		return Finding{Missing, "confinement", strings.TrimSpace(fmt.Sprintf(
			"Programs are not fully confined: %s. Run Atelier as a user, or in a container, without access to anything else. %s",
			oneSentence(c.Lacks), c.User))}
	}
	return Finding{Healthy, "confinement", "The kernel gives programs no access to other files, other processes or the network. " + c.User}
}

// oneSentence joins the lines of an error.
func oneSentence(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}
