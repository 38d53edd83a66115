// Package naming finds the models, servers and programs that a request names: "draw a castle with
// SDXL", "use flux", "read it aloud by espeak".
//
// Guarantees:
//   - A name is the name of a model in the catalogue, or of an existing model, server or program,
//     after "with", "by", "use" or the like. Names are whole words; case and separators are
//     ignored: "whisper large v3" and "Whisper-Large-v3" are the same.
//   - A word with another meaning, such as bark, is a name only if something with that name does
//     the main thing that is requested, and if it is not in the place of a thing: "with a donut",
//     "with Sora on the beach". When in doubt, the words stay in the request. They also stay if
//     something is replaced ("replace the word with SDXL"), or if they describe a thing ("made with
//     SDXL").
//   - If several names are given, "with SDXL and one with flux", all are found.
//   - Text in quotation marks is ignored.
//   - It is read-only and safe for concurrent use.
package naming

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Book knows the names in a catalogue.
type Book struct {
	catalogue *toolbox.Catalogue
	near      func(text string) []string

	mu    sync.Mutex
	names *Names // of the last liveness
}

// New returns the book of a catalogue.
func New(c *toolbox.Catalogue) *Book {
	// Few requests name a model, so the index is built on first use.
	index := sync.OnceValue(func() func(string) []string { return nearest(c) })
	return &Book{catalogue: c, near: func(text string) []string { return index()(text) }}
}

// Names are all names by which requests can refer to models, servers and programs at a given
// moment.
type Names struct {
	*Book

	live *toolbox.Liveness // the liveness they were collected for

	meanings map[string][]meaning // by name, reduced to letters and digits
	longest  int                  // longest name, in words
}

// meaning is what a name refers to.
type meaning struct {
	// Exactly one of model, server and program is set, unless elsewhere is.
	model, server, program string
	// kind is the kind of the server's backings.
	kind string
	// tool is the tool that uses the model, if the catalogue does not know the model.
	tool string
	// elsewhere is the result type of a model that is not available here to anyone.
	elsewhere plan.Type
}

// At returns the names of the catalogue and of everything live; nil means the catalogue alone. The
// names for the last liveness, which rarely changes, are cached.
func (b *Book) At(live *toolbox.Liveness) *Names {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names == nil || b.names.live != live {
		b.names = b.gather(live)
	}
	return b.names
}

// The kinds of backings that are not servers.
const (
	native  = "native"
	program = "program"
	command = "command"
)

// kinds maps the names of servers to the kind of their backings.
func kinds() map[string]string {
	return map[string]string{
		"tool server": "hftask", "Hugging Face": "hftask", "OpenAI": "openai", "LocalAI": "localai",
	}
}

// closed are well-known models that run only in their makers' clouds, by result type. Requests for
// them are told that they are unavailable.
func closed() map[string]plan.Type {
	return map[string]plan.Type{
		"Midjourney": plan.Image, "DALL-E": plan.Image, "DALL-E 3": plan.Image, "Ideogram": plan.Image,
		"Nano Banana": plan.Image, "Adobe Firefly": plan.Image, "Imagen 4": plan.Image, "GPT Image": plan.Image,
		"Sora": plan.Video, "Sora 2": plan.Video, "Veo 3": plan.Video, "Kling": plan.Video, "Runway Gen-4": plan.Video,
		"Suno": plan.Audio, "Udio": plan.Audio, "ElevenLabs": plan.Audio,
	}
}

func (n *Names) add(name string, m meaning) {
	key := letters(name)
	if len(key) < shortest || slices.Contains(n.meanings[key], m) {
		return
	}
	n.meanings[key] = append(n.meanings[key], m)
	n.longest = max(n.longest, len(words(name)))
}

// addModel adds the names of a model that is not in the catalogue. A prefix counts as a name if it
// is one already: "Whisper" for whisper-1, "GPT Image" for gpt-image-1.
func (n *Names) addModel(id, tool string) {
	m := meaning{model: id, tool: tool}
	n.add(id, m)
	n.add(bare(id), m)
	all := words(bare(id))
	for i := range all {
		if begins := strings.Join(all[:i+1], ""); n.meanings[letters(begins)] != nil {
			n.add(begins, m)
		}
	}
}

// shortest is the minimum length of a name in letters and digits; shorter ones would match ordinary
// words.
const shortest = 3

// bare returns a model's name without its publisher.
func bare(id string) string { return id[strings.LastIndex(id, "/")+1:] }

// programs returns the programs that a backing needs, parsed from its sentence for people: "the
// programs abc2midi and fluidsynth".
func programs(b toolbox.Backing) []string {
	_, names, ok := strings.Cut(b.Needs, "program")
	if b.Kind != program && b.Kind != command || !ok {
		return nil
	}
	return strings.Split(strings.TrimSpace(strings.TrimPrefix(names, "s")), " and ")
}

// Model returns the name that people use for a model.
func (b *Book) Model(id string) string {
	if m, ok := b.catalogue.Model(id); ok {
		return m.Called()
	}
	return bare(id)
}

// Called returns the name that people use for a candidate of a tool: its model, else its program,
// else its server.
func (b *Book) Called(t toolbox.Tool, c plan.Candidate) plan.Message {
	if c.Model != "" {
		return plan.Quote(b.Model(c.Model))
	}
	switch c.Kind {
	case native:
		return plan.Say("the built-in way")
	case program, command:
		for _, b := range t.Backends {
			if names := programs(b); b.Run == c.Run && len(names) > 0 {
				return plan.And(names...)
			}
		}
	}
	switch c.Server {
	case "toolserver":
		return plan.Say("the tool server")
	case "openai":
		return plan.Say("the OpenAI-compatible server")
	case "huggingface":
		return plan.Quote("Hugging Face")
	case "localai":
		return plan.Quote("LocalAI")
	}
	return plan.Quote(c.Server)
}

func (b *Book) gather(live *toolbox.Liveness) *Names {
	n := &Names{Book: b, live: live, meanings: map[string][]meaning{}}
	for _, m := range b.catalogue.Models() {
		for _, name := range append(slices.Clone(m.Names), m.ID, bare(m.ID)) {
			n.add(name, meaning{model: m.ID})
		}
	}
	for _, t := range b.catalogue.Tools() {
		for _, backing := range t.Backends {
			for _, p := range programs(backing) {
				n.add(p, meaning{program: p})
				n.add(strings.TrimSuffix(p, "-ng"), meaning{program: p})
			}
		}
	}
	for name, kind := range kinds() {
		n.add(name, meaning{server: strings.ReplaceAll(strings.ToLower(name), " ", ""), kind: kind})
	}
	for name, makes := range closed() {
		n.add(name, meaning{elsewhere: makes})
	}
	if live == nil {
		return n
	}
	for _, s := range live.Statuses() {
		for _, can := range s.Candidates {
			if _, known := b.catalogue.Model(can.Model); can.Model != "" && !known {
				n.addModel(can.Model, s.Tool.Name)
			}
			if can.Kind != native && can.Kind != program {
				n.add(can.Server, meaning{server: can.Server, kind: can.Kind})
			}
		}
	}
	return n
}

// Programmed reports whether a candidate is a program.
func Programmed(t toolbox.Tool, c plan.Candidate) bool {
	return c.Kind == program && slices.ContainsFunc(t.Backends, func(b toolbox.Backing) bool { return b.Kind == c.Kind && b.Run == c.Run })
}

// Ran reconstructs a candidate of a tool from its name, as far as possible.
func Ran(t toolbox.Tool, name string) plan.Candidate {
	c := plan.Candidate{Name: name}
	var rest string
	c.Server, rest, _ = strings.Cut(name, ":")
	c.Run, c.Model, _ = strings.Cut(rest, "@")
	for _, b := range t.Backends { // the server may be named after its kind
		if b.Run == c.Run && (c.Kind == "" || b.Kind == c.Server) {
			c.Kind = b.Kind
		}
	}
	return c
}

// letters returns the letters and digits of a name, in lower case; names are compared by them.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// words splits a name into words.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Mention is a name of a model, server or program in a request.
type Mention struct {
	// Name is the name as written in the request.
	Name string
	// About is the surrounding text of the request: the work that the named thing should do.
	About string

	names    *Names
	meanings []meaning
}

// Means reports whether the mention refers to the candidate of a tool.
func (m Mention) Means(tool string, c plan.Candidate) bool {
	t, _ := m.names.catalogue.Tool(tool)
	return slices.ContainsFunc(m.meanings, func(w meaning) bool {
		switch {
		case w.model != "":
			return c.Model == w.model
		case w.server != "":
			return letters(c.Server) == letters(w.server) && c.Kind == w.kind
		case w.program != "":
			return c.Kind == program && slices.ContainsFunc(t.Backends, func(b toolbox.Backing) bool {
				return b.Run == c.Run && slices.Contains(programs(b), w.program)
			})
		}
		return false
	})
}

// Could reports whether the named thing could do the tool's work if it were available.
func (m Mention) Could(tool string) bool {
	t, ok := m.names.catalogue.Tool(tool)
	return ok && slices.ContainsFunc(t.Backends, func(b toolbox.Backing) bool {
		return slices.ContainsFunc(m.meanings, func(w meaning) bool {
			known, _ := m.names.catalogue.Model(w.model)
			switch {
			case w.model != "":
				return w.tool == tool || known.Does(tool, b)
			case w.server != "":
				return b.Kind == w.kind
			case w.program != "":
				return b.Kind == program && slices.Contains(programs(b), w.program)
			}
			return w.elsewhere.Fits(t.Returns) && b.Kind != native
		})
	})
}

// nearest returns a function that finds the tools related to a text, best first.
func nearest(c *toolbox.Catalogue) func(text string) []string {
	lexicon, err := retrieve.NewLexicon()
	if err != nil { // its text is embedded
		panic(fmt.Sprintf("the lexicon: %v", err))
	}
	index := retrieve.New(lexicon, c.Tools())
	return func(text string) []string {
		var tools []string
		for _, hit := range index.Search(lexicon.Features(lexicon.Words(text, nil))) {
			if hit.Score >= related && len(tools) < considered {
				tools = append(tools, hit.Tool)
			}
		}
		return tools
	}
}

// The minimum score of a related tool, and the maximum number of tools.
const (
	related    = 0.2
	considered = 10
)
