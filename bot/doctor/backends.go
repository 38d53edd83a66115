package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
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
		return []Finding{failed("programs", err, "The tool catalogue cannot be read.")}
	}
	needs, python := x.examinePython(ctx, improvise.Config{Sandbox: box, Films: films, Environment: x.PythonFolder()}, catalogue.All())
	found := append([]Finding{programsFinding(b.Programs(catalogue.All()), needs)}, python...)
	return append(found, confinementFinding(box.Confinement(ctx)), x.memoryFinding())
}

// examinePython returns what the tools use that run Python programs, nothing if there are none, and whether Python starts.
func (x examination) examinePython(ctx context.Context, c improvise.Config, tools []toolbox.Tool) ([]improvise.Need, []Finding) {
	uses := func(b toolbox.Backing) bool {
		return b.Kind == settings.ImproviseKind && (b.Program != "" || x.Programs.Allowed)
	}
	if !slices.ContainsFunc(tools, func(t toolbox.Tool) bool { return slices.ContainsFunc(t.Backends, uses) }) {
		return nil, nil
	}
	b, err := improvise.New(c)
	if err != nil {
		return nil, []Finding{failed("Python", err, "It cannot be run.")}
	}
	begin := time.Now()
	needs, err := b.Needs(ctx)
	took := time.Since(begin).Round(time.Second)
	switch {
	case err != nil:
		return nil, []Finding{{Wrong, "Python", fmt.Sprintf("It is installed but does not start (%s), so no program can be written or run. "+
			"On a busy machine, try again later.", oneSentence(err))}}
	case took >= improvise.Slow:
		return needs, []Finding{{Healthy, "Python", fmt.Sprintf("It took %s to start: the first program waits for that.", took)}}
	}
	return needs, nil
}

// programsFinding says which programs are missing, what each costs, and how to install them.
func programsFinding(all []program.Program, python []improvise.Need) Finding {
	var absent, packages, present []string
	add := func(name, debian string, found bool, cost string) {
		switch {
		case found:
			present = append(present, name)
			return
		case debian == "":
			absent = append(absent, fmt.Sprintf("%s (%s)", name, cost))
			return
		case !slices.Contains(packages, debian):
			packages = append(packages, debian)
		}
		absent = append(absent, fmt.Sprintf("%s (package %s, %s)", name, debian, cost))
	}
	for _, p := range all {
		add(p.Name, p.Debian, p.Found, output.Counted(p.Tools, "tool"))
	}
	for _, n := range python {
		cost := "all programs that are written for requests or kept"
		if n.Optional {
			cost = "some programs that are written for requests"
		}
		if !slices.ContainsFunc(all, func(p program.Program) bool { return p.Name == n.Name }) {
			add(n.Name, n.Debian, n.Found, cost)
		}
	}
	if len(absent) == 0 {
		return Finding{Healthy, "programs", "All programs of the tools are installed: " + strings.Join(present, ", ") + "."}
	}
	says := "Not installed, with what does not run without it: " + strings.Join(absent, ", ") + ". Install them"
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
