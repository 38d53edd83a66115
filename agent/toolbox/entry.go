package toolbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"atelier/agent/plan"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

// maxToolFile is the most bytes that a catalogue entry may have.
const maxToolFile = 64 << 10

// improviseKind is the kind of a backing that runs a Python program.
const improviseKind = "improvise"

// origins are the systems of which a tool may be: the papers, ours, and the operator.
var origins = []string{"controlllm", "visualchatgpt", "hugginggpt", "atelier", Own}

// Own is the origin of an operator's own tool.
const Own = "own"

// minExamples is the fewest example wishes by which retrieval still finds a tool.
const minExamples = 3

// ReadTool reads one catalogue entry; the error tells everything that is wrong with it, a line each.
func ReadTool(b []byte) (Tool, error) {
	t, faults := readTool(b)
	return t, errors.Join(faults...)
}

// readTool reads one catalogue entry, and tells everything that is wrong with it.
func readTool(b []byte) (Tool, []error) {
	if len(b) > maxToolFile {
		return Tool{}, []error{tooLong(int64(len(b)))}
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var t Tool
	var unread []error
	broken := parts{}
	err := dec.Decode(&t)
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	switch {
	case ok:
		unread, broken = partsOf(b, wrong)
		if t.Name == "" && t.Examples == nil { // nothing was read, so all the rest would be missing
			return Tool{}, unread
		}
	case errors.Is(err, io.EOF):
		return Tool{}, []error{errors.New("is empty")}
	case err != nil:
		return Tool{}, []error{fmt.Errorf("not a catalogue entry: %w", err)}
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Tool{}, append(unread, errors.New("holds more than one document"))
	}
	for i := range t.Backends {
		t.Backends[i] = completed(t.Backends[i], t.Name)
		t.Backends[i].Inputs = t.inputs(t.Backends[i])
		if t.Backends[i].Program != "" {
			t.Backends[i].Settings = t.Params
		}
	}
	t.squeeze()
	for i := range t.Params {
		p := &t.Params[i]
		t.Args = append(t.Args, Arg{
			Name: p.Name, Type: plan.Text, Meaning: p.Type.Meaning(), About: p.About, Optional: p.Optional, Param: p,
		})
	}
	if all := slices.Concat(unread, t.check(broken)); len(all) > 0 {
		return Tool{}, slices.CompactFunc(all, func(a, b error) bool { return a.Error() == b.Error() })
	}
	return t, nil
}

// parts are those of a tool's file that could not be read, by their keys.
type parts map[string]bool

// whole reports whether all of these could be read.
func (p parts) whole(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return p[k] })
}

// lineOf is where a fault of YAML lies.
var lineOf = regexp.MustCompile(`^line (\d+): `)

// partsOf tells the faults of YAML and the parts of the file in which they lie.
func partsOf(b []byte, wrong *yaml.TypeError) ([]error, parts) {
	var faults []error
	broken := parts{}
	var file yaml.Node
	if yaml.Unmarshal(b, &file) != nil || len(file.Content) == 0 {
		return []error{fmt.Errorf("not a catalogue entry: %w", wrong)}, broken
	}
	for _, said := range wrong.Errors {
		faults = append(faults, errors.New(misread(said, &file)))
		found := lineOf.FindStringSubmatch(said)
		if found == nil {
			continue
		}
		line, _ := strconv.Atoi(found[1]) //nolint:errcheck // it is made of digits
		part := ""
		for i, key := range file.Content[0].Content {
			if i%2 == 0 && key.Line <= line {
				part = key.Value
			}
		}
		broken[part] = true
	}
	return faults, broken
}

func tooLong(bytes int64) error {
	return fmt.Errorf("is %d bytes long, at most %d are read", bytes, maxToolFile)
}

// squeeze makes one line of every text for people and models, however it was folded.
func (t *Tool) squeeze() {
	texts := []*string{&t.Description, &t.When, &t.Made, &t.MadeMany, &t.Planned, &t.Suffix}
	for i := range t.Examples {
		texts = append(texts, &t.Examples[i])
	}
	for i := range t.Args {
		texts = append(texts, &t.Args[i].About)
	}
	for i := range t.Params {
		texts = append(texts, &t.Params[i].About)
	}
	for i := range t.Backends {
		texts = append(texts, &t.Backends[i].Needs)
	}
	for i := range t.Backends { // a prompt keeps its lines
		t.Backends[i].Prompt = strings.TrimSpace(strings.ToValidUTF8(t.Backends[i].Prompt, "?"))
	}
	for _, s := range texts {
		*s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(*s, "?"), blank), " ")
	}
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// faults collects what is wrong with an entry.
type faults []error

func (f *faults) addf(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// check lists what is wrong with an entry. What a part is checked for that could not be read is not known.
func (t *Tool) check(broken parts) []error {
	var f faults
	if !isName(t.Name) && broken.whole("name") {
		f.addf("name %q is not made of lower-case letters, digits and _", t.Name)
	}
	for _, a := range t.Alias {
		if !isName(a) || a == t.Name {
			f.addf("alias %q is not a former name", a)
		}
	}
	if t.Description == "" && broken.whole("description") {
		f.addf("description is missing")
	}
	if t.When == "" && broken.whole("when") {
		f.addf("when is missing")
	}
	if !isWord(t.Domain) && broken.whole("domain") {
		f.addf("domain %q is not one word", t.Domain)
	}
	for _, o := range t.Origins {
		if !slices.Contains(origins, o) {
			f.addf("origin %q is none of %s; a tool of your own is of the origin own", o, strings.Join(origins, ", "))
		}
	}
	if _, err := plan.ParseType(string(t.Returns)); err != nil && broken.whole("returns") {
		f.addf("returns: %w", missing(t.Returns, err, "it is missing; write the type of the result, such as image"))
	}
	if !broken.whole("args", "params") {
		return f // the other parts speak of these
	}
	t.checkArgs(&f)
	if broken.whole("examples") {
		t.checkExamples(&f)
	}
	t.checkPhrases(broken, &f)
	if !broken.whole("returns") {
		return f
	}
	if t.Listens && (t.Returns != plan.Text || !t.takes(plan.Audio)) {
		f.addf("listens, and does not make a text of one audio alone")
	}
	if t.Describes && (t.Returns != plan.Text || !t.takes(plan.Image)) {
		f.addf("describes, and does not make a text of one picture alone")
	}
	if broken.whole("backends") {
		t.checkBackends(&f)
	}
	if broken.whole("effects") && t.typed() {
		f = append(f, t.Effects.Check(t.Returns, t.measurable())...)
	}
	return f
}

// checkPhrases checks how a result is told.
func (t *Tool) checkPhrases(broken parts, f *faults) {
	if broken.whole("made") {
		t.checkPhrase("made", t.Made, false, f)
		t.checkPhrase("made_many", t.MadeMany, false, f)
	}
	if broken.whole("planned") {
		t.checkPhrase("planned", t.Planned, false, f)
		if slices.Contains(Slots(t.Planned), About) {
			f.addf("planned: {%s} is what only the result says of itself", About)
		}
	}
	if broken.whole("suffix") {
		t.checkPhrase("suffix", t.Suffix, true, f)
	}
}

// isType reports whether there is such a type.
func isType(t plan.Type) bool {
	_, err := plan.ParseType(string(t))
	return err == nil
}

// missing returns an error with the text none if the type is not written, and err otherwise.
func missing(t plan.Type, err error, none string) error {
	if t == "" {
		return errors.New(none)
	}
	return err
}

// typed reports whether the types of the arguments and of the result exist.
func (t *Tool) typed() bool {
	return isType(t.Returns) && !slices.ContainsFunc(t.Args, func(a Arg) bool { return !isType(a.Type) })
}

func (t *Tool) checkArgs(f *faults) {
	if len(t.Args) == 0 {
		f.addf("takes no argument, so no search could find it")
	}
	for i, a := range t.Args {
		if slices.ContainsFunc(t.Args[:i], func(b Arg) bool { return b.Name == a.Name }) {
			f.addf("argument %s stands twice", a.Name)
		}
		if a.Param != nil {
			*f = append(*f, a.Param.Check()...)
			continue
		}
		a.check(f)
	}
}

// measurable are the arguments as effects refer to them.
func (t *Tool) measurable() []effect.Arg {
	all := make([]effect.Arg, len(t.Args))
	for i, a := range t.Args {
		all[i] = effect.Arg{Name: a.Name, Type: a.Type}
		if a.Param != nil {
			all[i].Setting, all[i].Values = a.Param.Type, slices.Sorted(maps.Keys(a.Param.Choices))
		}
	}
	return all
}

// takes tells whether a resource of the type is all that the tool must be given.
func (t *Tool) takes(typ plan.Type) bool {
	must := slices.DeleteFunc(slices.Clone(t.Args), func(a Arg) bool { return a.Optional })
	return len(must) == 1 && must[0].Type == typ && !must[0].Many
}

func (t *Tool) checkExamples(f *faults) {
	if len(t.Examples) < minExamples {
		f.addf("has %d examples, at least %d are needed", len(t.Examples), minExamples)
	}
	checked := map[string]bool{}
	for i, e := range t.Examples {
		switch {
		case strings.TrimSpace(Wish(e)) == "":
			f.addf("example %d is empty", i+1)
		case !paired(e):
			f.addf("example %q has a brace without its partner, or one within another", e)
		case slices.Contains(t.Examples[:i], e):
			f.addf("example %q stands twice", e)
		default:
			t.checkSlots(e, checked, f)
		}
	}
}

// checkSlots checks that a parameter or a text takes each quantity that an example has in a slot:
// nobody could be given what such an example promises. A slot that was checked is not checked again.
func (t *Tool) checkSlots(example string, checked map[string]bool, f *faults) {
	if slices.ContainsFunc(t.Args, func(a Arg) bool { return a.Param == nil && !a.Type.Media() }) {
		return // numbers may stand in a text, or be the coordinates of points
	}
	for _, slot := range Slots(example) {
		if checked[slot] {
			continue
		}
		checked[slot] = true
		reads := func(p param.Param) bool { return p.Reads(slot) }
		if quantity.Find(slot) != nil && !slices.ContainsFunc(t.Params, reads) {
			f.addf("example %q has the slot {%s}, and no parameter takes that", example, slot)
		}
	}
}

func (a Arg) check(f *faults) {
	if !isName(a.Name) {
		f.addf("argument name %q is not made of lower-case letters, digits and _", a.Name)
	}
	if a.About == "" {
		f.addf("argument %s lacks its about", a.Name)
	}
	if _, err := plan.ParseType(string(a.Type)); err != nil {
		f.addf("argument %s: %w", a.Name, missing(a.Type, err, "its type is missing; write for instance type: image"))
	}
	switch _, err := plan.ParseMeaning(string(a.Meaning)); {
	case a.Type == plan.Text && a.Meaning == "":
		f.addf("argument %s is a text without a meaning; the meanings are %s", a.Name, plan.ListMeanings())
	case a.Type != plan.Text && a.Meaning != "":
		f.addf("argument %s has a meaning, and only a text may have one", a.Name)
	case a.Meaning != "" && err != nil:
		f.addf("argument %s: %w", a.Name, err)
	}
	if a.Optional && a.Many {
		f.addf("argument %s is optional and many", a.Name)
	}
	if a.Form != "" && (a.Form != TableForm || a.Meaning != plan.Content) {
		f.addf("argument %s has the form %q, and only a content may have one, which is %s", a.Name, a.Form, TableForm)
	}
}

func (t *Tool) checkBackends(f *faults) {
	if len(t.Backends) == 0 {
		f.addf("has no backends")
	}
	for i, b := range t.Backends {
		if wrong := b.misplaced(); wrong != "" {
			f.addf("backend %d %s", i+1, wrong)
			continue // the rest follows from that
		}
		switch {
		case b.Run == "":
			f.addf("backend %d lacks its run: the operation, task or prompt of the kind %s", i+1, b.Kind)
		case !isWord(b.Run):
			f.addf("backend %d runs %q, which is not one word", i+1, b.Run)
		}
		switch {
		case b.Device == "":
			f.addf("backend %d lacks its device: cpu or gpu", i+1)
		case b.Device != "cpu" && b.Device != "gpu" && (b.Device != "program" || b.Kind != improviseKind):
			f.addf("backend %d has the device %q, not cpu or gpu", i+1, b.Device)
		}
		if slices.ContainsFunc(t.Backends[:i], func(c Backing) bool { return c.Kind == b.Kind && c.Run == b.Run }) {
			f.addf("backend %s:%s stands twice", b.Kind, b.Run)
		}
		t.checkPrompt(b, f)
		t.checkCommand(b, f)
		t.checkRequest(b, f)
		t.checkProgram(b, f)
	}
}

// misplaced tells what a backing lacks to be of its kind, or has of another one; "" if nothing.
func (b Backing) misplaced() string {
	switch {
	case b.Kind == "":
		return "lacks its kind: command for a program, http for a service, native for an operation of the bot"
	case !isWord(b.Kind):
		return fmt.Sprintf("has the kind %q, which is not one word", b.Kind)
	case b.Kind != commandKind && b.Recipe != nil:
		return fmt.Sprintf("is of the kind %s: only the kind %s has argv and what belongs to it", b.Kind, commandKind)
	case b.Kind == commandKind && (b.Recipe == nil || b.Recipe.Argv == nil):
		return "lacks its argv: the program and its arguments, as a list"
	case b.Kind != serviceKind && b.Request != nil:
		return fmt.Sprintf("is of the kind %s: only the kind %s has a request", b.Kind, serviceKind)
	case b.Kind == serviceKind && b.Request == nil:
		return "lacks its request: {url: …} and what else is sent"
	case b.Kind != improviseKind && b.Program != "":
		return fmt.Sprintf("is of the kind %s: only the kind %s has a program", b.Kind, improviseKind)
	}
	return ""
}

// inputs are the names of the resources that the program of a backing is given, and of the files that
// its request needs.
func (t *Tool) inputs(b Backing) string {
	var names []string
	for _, a := range t.Args {
		if b.Program != "" || b.Request != nil && a.Type != plan.Text && !a.Optional {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, " ")
}

// checkProgram holds that a program has something to run it, and that only the tool that improvises
// has none.
func (t *Tool) checkProgram(b Backing, f *faults) {
	switch {
	case b.Kind == improviseKind && t.Improvises == (b.Program != ""):
		f.addf("backend %s needs a program, unless the tool improvises", b.name())
	case b.Program != "" && !CanImprovise(t.Returns) && isType(t.Returns):
		f.addf("a program returns image, video, audio, document or text, and not %s", t.Returns)
	}
}

// checkPhrase checks that the slots of a phrase are arguments, or what the result says of itself. Only a
// suffix can do without arguments that are optional.
func (t *Tool) checkPhrase(field, phrase string, optional bool, f *faults) {
	if !paired(phrase) {
		f.addf("%s %q has a brace without its partner, or one within another", field, phrase)
		return
	}
	for _, name := range Slots(phrase) {
		i := slices.IndexFunc(t.Args, func(a Arg) bool { return a.Name == name })
		switch {
		case name == About:
		case i < 0:
			f.addf("%s %q has the slot {%s}, and no argument is called that", field, phrase, name)
		case t.Args[i].Optional && !optional:
			f.addf("%s %q has the slot {%s}, and that argument is optional", field, phrase, name)
		}
	}
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// isWord tells whether s can stand in a list or a path of a server: "audio/speech".
func isWord(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, blank)
}

// paired tells whether each opening brace is closed before the next one opens.
func paired(s string) bool {
	open := false
	for _, r := range s {
		switch {
		case r == '{' && open, r == '}' && !open:
			return false
		case r == '{', r == '}':
			open = !open
		}
	}
	return !open
}
