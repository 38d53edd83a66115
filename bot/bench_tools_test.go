package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/native"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/verify"
	"atelier/bot/settings"
	"atelier/bot/workshop"
)

// BenchmarkTools runs every tool that needs no server on a 10-second 720p video, a 12-megapixel photo
// or a minute of sound, and prints a Markdown table: its time beside that of the bare command. The time
// of a tool includes the check of its result. The bare command is the command line that the tool starts,
// run on the same files at the same priority, without the sandbox and without looking at them before and
// after. Some built-in tools stand beside ffmpeg's filter instead. The columns CPU are the time on the
// processors, which other work on the machine changes less. It takes a quarter of an hour; name tools for less.
//
//	go test ./bot -run '^$' -bench Tools -benchtime 1x -timeout 2h
//	go test ./bot -run '^$' -bench 'Tools/(cut_video|blur_image)$' -benchtime 5x
func BenchmarkTools(b *testing.B) {
	w := newToolBench(b)
	var rows []benchRow
	for _, tool := range w.catalogue.Tools() {
		at := slices.IndexFunc(tool.Backends, func(o toolbox.Backing) bool { return w.backends[o.Kind] != nil })
		if at < 0 {
			continue
		}
		use, input, ok := w.use(b, tool)
		if !ok {
			continue
		}
		b.Run(tool.Name, func(b *testing.B) {
			row := benchRow{tool: tool.Name, input: input}
			row.ours, row.bare = w.measure(b, toolbox.Candidate{Backing: tool.Backends[at]}, use, tool.Effects)
			rows = append(rows, row)
		})
	}
	printRows(b, rows)
}

// benchRow is the cost of one tool. Without a bare command, bare is 0.
type benchRow struct {
	tool, input string
	ours, bare  spent
}

// spent is a duration, and the processor time.
type spent struct{ wall, cpu time.Duration }

// within reports whether a tool takes at most 1.1 times as long as the bare command, plus 30 ms.
func within(ours, bare time.Duration) bool { return ours <= bare*11/10+30*time.Millisecond }

func printRows(b *testing.B, rows []benchRow) {
	b.Helper()
	var text strings.Builder
	compared, wall, cpu := 0, 0, 0
	text.WriteString("\n| tool | input | bare, ms | ours, ms | ratio | within 1.1 × + 30 ms | bare, ms of CPU | ours, ms of CPU |\n| --- | --- | --: | --: | --: | --- | --: | --: |\n")
	for _, r := range rows {
		if r.bare.wall == 0 {
			fmt.Fprintf(&text, "| %s | %s | | %d | | | | %d |\n", r.tool, r.input, r.ours.wall.Milliseconds(), r.ours.cpu.Milliseconds())
			continue
		}
		verdict := "no"
		compared++
		if within(r.ours.wall, r.bare.wall) {
			verdict = "yes"
			wall++
		}
		if within(r.ours.cpu, r.bare.cpu) {
			cpu++
		}
		fmt.Fprintf(&text, "| %s | %s | %d | %d | %.2f | %s | %d | %d |\n",
			r.tool, r.input, r.bare.wall.Milliseconds(), r.ours.wall.Milliseconds(), r.ours.wall.Seconds()/r.bare.wall.Seconds(), verdict,
			r.bare.cpu.Milliseconds(), r.ours.cpu.Milliseconds())
	}
	fmt.Fprintf(&text, "\nOf %d tools with a bare command, %d within 1.1 × + 30 ms by time, %d by CPU time; %d without one\n",
		compared, wall, cpu, len(rows)-compared)
	if _, err := os.Stdout.WriteString(text.String()); err != nil { // b.Log gives ten lines only
		b.Fatal(err)
	}
}

// toolBench is the setup of the benchmark.
type toolBench struct {
	catalogue *toolbox.Catalogue
	backends  map[string]toolbox.Backend
	box       *sandbox.Sandbox
	films     *ffmpeg.FFmpeg
	samples   map[plan.Type]string
	photo     string
	code      string // a photo of a QR code

	mu      sync.Mutex
	started func(sandbox.Command) // is told what the tool starts
}

func newToolBench(b *testing.B) *toolBench {
	b.Helper()
	w := &toolBench{started: func(sandbox.Command) {}}
	var err error
	w.box, err = sandbox.New(sandbox.Config{Starting: func(c sandbox.Command) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.started(c)
	}})
	must(b, err)
	builtin, err := native.New(native.Config{})
	must(b, err)
	w.backends = map[string]toolbox.Backend{settings.BuiltinKind: builtin}
	w.catalogue, err = workshop.ReadBuiltin()
	must(b, err)
	w.draw(b)
	w.forget(b, toolbox.Call{})
	return w
}

// forget replaces the programs, whose caches know only the call's files, as when files arrive at the bot.
func (w *toolBench) forget(b *testing.B, use toolbox.Call) {
	b.Helper()
	var err error
	w.films, err = ffmpeg.New(ffmpeg.Config{Sandbox: w.box})
	must(b, err)
	programs, err := program.New(program.Config{Sandbox: w.box, FFmpeg: w.films})
	must(b, err)
	w.backends[settings.ProgramKind], w.backends[settings.CommandKind] = programs, programs.Commands()
	for _, values := range use.Args {
		if v := values[0]; v.Type == plan.Video || v.Type == plan.Audio {
			_, err := w.films.Look(b.Context(), v.Path)
			must(b, err)
		}
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// draw makes the files that the tools work on.
func (w *toolBench) draw(b *testing.B) {
	b.Helper()
	dir := b.TempDir()
	w.photo = filepath.Join(dir, "photo.jpg")
	w.samples = map[plan.Type]string{
		plan.Image: w.photo, plan.Video: filepath.Join(dir, "clip.mp4"), plan.Audio: filepath.Join(dir, "minute.mp3"),
		plan.Document: filepath.Join(dir, "document.pdf"),
	}
	lavfi := []string{"-v", "error", "-f", "lavfi", "-i"}
	for _, args := range [][]string{
		{"testsrc2=size=4000x3000,noise=alls=6", "-frames:v", "1", "-q:v", "3", w.samples[plan.Image]},
		{"testsrc2=size=1280x720:rate=25:duration=10", "-f", "lavfi", "-i", "sine=duration=10", "-pix_fmt", "yuv420p", w.samples[plan.Video]},
		{"aevalsrc='0.3*sin(2*PI*440*t)*(0.5+0.5*sin(t))+0.01*(random(0)-0.5)':s=44100:d=60", "-ac", "2", w.samples[plan.Audio]},
	} {
		out, err := exec.CommandContext(b.Context(), "ffmpeg", slices.Concat(lavfi, args)...).CombinedOutput() //nolint:gosec // fixed words
		if err != nil {
			b.Fatalf("ffmpeg: %v: %s", err, out)
		}
	}
	w.code = filepath.Join(dir, "code.jpg")
	qr := exec.CommandContext(b.Context(), "sh", "-c", `qrencode -o - -s 20 "a code" | ffmpeg -v error -i - -vf "pad=4000:3000:-1:-1:white" -q:v 3 "$0"`, w.code) //nolint:gosec // fixed words
	if out, err := qr.CombinedOutput(); err != nil {
		b.Fatalf("draw a QR code: %v: %s", err, out)
	}
	made, err := w.backends[settings.BuiltinKind].Run(b.Context(), toolbox.Candidate{Backing: toolbox.Backing{Kind: settings.BuiltinKind, Run: "text_to_pdf"}},
		toolbox.Call{Dir: b.TempDir(), Args: map[string][]toolbox.Value{"text": {textValue(strings.Repeat("A line of text on a page.\n", 400))}}})
	must(b, err)
	must(b, os.Rename(made.Path, w.samples[plan.Document]))
}

func textValue(text string) toolbox.Value {
	return toolbox.Value{Resource: plan.Resource{Name: "text", Type: plan.Text, Value: text}}
}

// inputNames returns the table's names of the samples.
func inputNames() map[plan.Type]string {
	return map[plan.Type]string{plan.Image: "photo", plan.Video: "video", plan.Audio: "sound", plan.Document: "PDF"}
}

// use returns a call of a tool with its required arguments; false if it takes no file, or one of another type.
func (w *toolBench) use(b *testing.B, tool toolbox.Tool) (use toolbox.Call, input string, ok bool) {
	b.Helper()
	use = toolbox.Call{Tool: tool.Name, Returns: tool.Returns, Args: map[string][]toolbox.Value{}, Now: time.Unix(1_700_000_000, 0), Seed: 1}
	var inputs []string
	for _, a := range tool.Args {
		path := w.samples[a.Type]
		if tool.Name == "read_code" {
			path = w.code
		}
		switch {
		case a.Param != nil && !a.Optional:
			use.Args[a.Name] = []toolbox.Value{textValue(anyValue(*a.Param))}
		case a.Optional:
		case path != "":
			v := toolbox.Value{Resource: plan.Resource{Name: filepath.Base(path), Type: a.Type}, Path: path}
			use.Args[a.Name] = []toolbox.Value{v}
			if a.Many {
				use.Args[a.Name] = []toolbox.Value{v, v}
			}
			inputs = append(inputs, inputNames()[a.Type])
		case a.Type == plan.Text:
			use.Args[a.Name] = []toolbox.Value{textValue("0:01 Hello world")}
		default:
			return use, "", false
		}
	}
	switch tool.Name {
	case "make_transparent":
		use.Args["colour"] = []toolbox.Value{textValue("red")} // nothing of the photo is quite white
	case "change_opacity":
		use.Args["opacity"] = []toolbox.Value{textValue("50%")}
	}
	if likeness, ok := likenesses()[tool.Name]; ok {
		for name, value := range likeness.told {
			use.Args[name] = []toolbox.Value{textValue(value)}
		}
	}
	use, err := tool.Typed(use)
	if err != nil {
		b.Fatalf("%s: %v", tool.Name, err)
	}
	return use, strings.Join(inputs, ", "), len(inputs) > 0
}

// anyValue returns a valid value of a parameter.
func anyValue(p param.Param) string {
	switch p.Type { //nolint:exhaustive // the first example of the others fits
	case param.Pages:
		return "all"
	case param.TimeRange, param.TimeRanges:
		return "0:02-0:08"
	case param.Moment:
		return "0:05"
	case param.Choice:
		return slices.Sorted(maps.Keys(p.Choices))[0]
	}
	all := slices.Concat(p.Examples, p.Type.Examples())
	return all[slices.IndexFunc(all, p.Reads)]
}

// likeness is ffmpeg's equivalent of a built-in tool, in a setting.
type likeness struct {
	told map[string]string
	args []string
	ext  string
}

func likenesses() map[string]likeness {
	return map[string]likeness{
		"resize_image":    {map[string]string{"size": "50%"}, []string{"-vf", "scale=iw/2:ih/2"}, ".jpg"},
		"make_thumbnail":  {nil, []string{"-vf", "scale=256:-1"}, ".jpg"},
		"blur_image":      {nil, []string{"-vf", "gblur=sigma=20"}, ".jpg"},
		"greyscale_image": {nil, []string{"-vf", "format=gray"}, ".jpg"},
		"rotate_image":    {map[string]string{"angle": "90 degrees"}, []string{"-vf", "transpose=1"}, ".jpg"},
		"flip_image":      {nil, []string{"-vf", "hflip"}, ".jpg"},
		"convert_image":   {map[string]string{"format": "png"}, nil, ".png"},
	}
}

// measure returns the median time of the tool, and of the bare command.
func (w *toolBench) measure(b *testing.B, how toolbox.Candidate, use toolbox.Call, effects effect.Effects) (ours, bare spent) {
	b.Helper()
	commands, err := w.record(b, how, use)
	if f, ok := errors.AsType[*plan.Fault](err); ok && f.Final { // such as borders that the photo lacks
		b.Skip(plan.ForOperator(err))
	}
	if err != nil {
		b.Fatal(plan.ForOperator(err))
	}
	var all, bares []spent
	for b.Loop() {
		b.StopTimer()
		use.Dir = b.TempDir()
		w.forget(b, use)
		for _, path := range w.samples { // a step works on a copy
			must(b, os.Chtimes(path, time.Time{}, time.Now()))
		}
		b.StartTimer()
		all = append(all, timed(b, func() error {
			out, err := w.backends[how.Kind].Run(b.Context(), how, use)
			if err != nil {
				return err
			}
			return verify.New(verify.Config{Call: use, Effects: effects, Player: w.films}).Verify(b.Context(), out)
		}))
		b.StopTimer()
		must(b, os.RemoveAll(use.Dir))
		if len(commands) > 0 {
			bares = append(bares, timed(b, func() error { return runBare(b, commands) }))
		}
		b.StartTimer()
	}
	ours, bare = median(all), median(bares)
	b.ReportMetric(float64(bare.wall.Microseconds())/1000, "bare-ms")
	return ours, bare
}

func runBare(b *testing.B, commands []sandbox.Command) error {
	b.Helper()
	for _, c := range commands {
		args := append([]string{"-n", "5", c.Program}, c.Args...) // as the sandbox does
		cmd := exec.CommandContext(b.Context(), "nice", args...)  //nolint:gosec // what the tool starts
		cmd.Dir = c.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %q: %w: %s", c.Program, c.Args, err, out)
		}
	}
	return nil
}

func timed(b *testing.B, do func() error) spent {
	b.Helper()
	began, before := time.Now(), processors(b)
	must(b, do())
	return spent{time.Since(began), processors(b) - before}
}

// processors returns the processor time of this process and its programs.
func processors(b *testing.B) (total time.Duration) {
	b.Helper()
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		must(b, unix.Getrusage(who, &u))
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}

// median returns the one with the median time.
func median(all []spent) spent {
	if len(all) == 0 {
		return spent{}
	}
	slices.SortFunc(all, func(a, b spent) int { return cmp.Compare(a.wall, b.wall) })
	return all[len(all)/2]
}

// record runs the tool once, and returns the bare commands: those of its recipe, on copies of their files.
func (w *toolBench) record(b *testing.B, how toolbox.Candidate, use toolbox.Call) ([]sandbox.Command, error) {
	b.Helper()
	use.Dir = b.TempDir()
	bareDir := b.TempDir()
	var all []sandbox.Command
	var failed error
	starting := func(c sandbox.Command) {
		if how.Recipe == nil || c.Dir == "" || !slices.Contains(how.Recipe.Programs(), c.Program) && !slices.Contains(how.Recipe.Programs(), filepath.Base(c.Program)) {
			return
		}
		bare, err := w.bare(c, use.Dir, bareDir)
		all, failed = append(all, bare), errors.Join(failed, err)
	}
	w.tell(starting)
	defer w.tell(func(sandbox.Command) {})
	out, err := w.backends[how.Kind].Run(b.Context(), how, use)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	if like, ok := likenesses()[use.Tool]; ok && how.Recipe == nil {
		args := slices.Concat([]string{"-v", "error", "-y", "-threads", "2", "-i", w.photo}, like.args, jpegQuality,
			[]string{filepath.Join(bareDir, "out"+like.ext)})
		return []sandbox.Command{{Program: "ffmpeg", Args: args, Dir: bareDir}}, nil
	}
	if how.Recipe == nil {
		return nil, nil
	}
	lines := 1
	if how.Recipe.First != nil {
		lines = 2
	}
	all = all[max(0, len(all)-lines):] // what came before has measured the files
	if last := all[len(all)-1]; filepath.Base(last.Program) == "ffmpeg" {
		i := len(last.Args) - 1
		last.Args[i] = strings.TrimSuffix(last.Args[i], filepath.Ext(last.Args[i])) + filepath.Ext(out.Path)
		if strings.HasSuffix(out.Path, ".jpg") {
			all[len(all)-1].Args = slices.Insert(last.Args, i, jpegQuality...)
		}
	}
	return all, nil
}

func (w *toolBench) tell(starting func(sandbox.Command)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = starting
}

// bare returns a command in another folder. A picture that was written for it is the photo again.
func (w *toolBench) bare(c sandbox.Command, dir, bareDir string) (sandbox.Command, error) {
	moved := func(text string) string { return strings.ReplaceAll(text, dir, bareDir) }
	bare := sandbox.Command{Program: c.Program, Dir: moved(c.Dir)}
	if err := copyFiles(c.Dir, bare.Dir); err != nil {
		return bare, err
	}
	for _, a := range c.Args {
		bare.Args = append(bare.Args, moved(a))
	}
	for i := range bare.Args {
		path, named := strings.CutPrefix(bare.Args[i], "file:")
		if !named || i == 0 || bare.Args[i-1] != "-i" {
			continue
		}
		if info, err := os.Lstat(strings.ReplaceAll(path, bareDir, dir)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		bare.Args[i] = "file:" + w.photo
		for j := max(0, i-6); j < i; j++ { // it is no PNG
			if bare.Args[j] == "-f" || bare.Args[j] == "-format_whitelist" {
				bare.Args[j+1] = "image2"
			}
		}
		for j, a := range bare.Args { // the tool filters the colours of screens, of that exist more
			switch a {
			case "-vf":
				bare.Args[j+1] = "format=rgb24," + bare.Args[j+1]
			case "-filter_complex":
				bare.Args[j+1] = firstFilters.ReplaceAllString(bare.Args[j+1], "${1}format=rgb24,$2")
			}
		}
	}
	if filepath.Base(c.Program) == "ffmpeg" {
		bare.Args = append([]string{"-y"}, bare.Args...)
	}
	return bare, nil
}

// jpegQuality makes ffmpeg write pictures of about the quality of the tools.
var jpegQuality = []string{"-q:v", "2"}

// firstFilters matches the places where a graph of filters begins with one input.
var firstFilters = regexp.MustCompile(`((?:^|;)\[\d+:v:0\])([^\[])`)

// copyFiles copies the files of a folder, and follows links.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	err = errors.Join(err, os.MkdirAll(to, 0o700))
	for _, e := range entries {
		path := filepath.Join(from, e.Name())
		if info, failed := os.Stat(path); failed != nil || info.IsDir() {
			err = errors.Join(err, failed)
			continue
		}
		content, failed := os.ReadFile(path)
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(to, e.Name()), content, 0o600))
	}
	return err
}
