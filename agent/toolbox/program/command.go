package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/facts"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/sandbox"
	"atelier/agent/toolbox/template"
)

// Commands is the backend of the kind command: it runs the command lines of tool files. It is safe for
// concurrent use.
//
// Inputs of ffmpeg are read as [ffmpeg.FFmpeg] reads them; other programs get pictures as PNG. A
// video or a sound gets the usual codecs of its format, unless the command line names one; "sound" and
// "picture" are the format of the input.
type Commands struct{ b *Backend }

var _ toolbox.Backend = Commands{}

// Commands is the backend of the kind command, with the same sandbox and limits.
func (b *Backend) Commands() Commands { return Commands{b} }

// Probe tells whether the programs are there.
func (m Commands) Probe(_ context.Context, c toolbox.Candidate) error {
	if c.Recipe == nil {
		return unknown(c.Run)
	}
	return m.b.find(needsOf(c.Backing))
}

// needsOf are the programs of a command, and those that measure its files.
func needsOf(b toolbox.Backing) []need {
	var all []need
	for _, name := range b.Recipe.Programs() {
		debian := name
		if name == b.Recipe.Argv.Program() {
			debian = b.Debian
		}
		all = append(all, need{program: name, debian: debian})
		switch name {
		case "ffmpeg":
			all = append(all, ffmpegs[1])
		case "qpdf", "pdftoppm", "pdftotext":
			all = append(all, need{program: "pdfinfo", debian: "poppler-utils"})
		}
	}
	return all
}

// Run runs the command line.
func (m Commands) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	if err := m.Probe(ctx, c); err != nil { // a program that is gone is no fault of the input
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	out, err := m.b.newRun(ctx, call).recipe(c.Recipe)
	return tidied(call, out, err)
}

// commandRun is one run of a recipe.
type commandRun struct {
	*Backend

	ctx     context.Context //nolint:containedctx // it lives as long as the run
	call    toolbox.Call
	known   *facts.Facts
	facts   template.Facts
	length  *template.Formula
	program string   // that runs now
	base    string   // of the name of what it writes
	ending  string   // of what it writes
	many    bool     // it writes several files
	texts   []string // files with people's words
	inputs  []string // files that are read
	made    string   // what the first command line wrote
	written float64  // characters of a text
}

func (b *Backend) newRun(ctx context.Context, call toolbox.Call) *commandRun {
	r := &commandRun{Backend: b, ctx: ctx, call: call, written: math.MaxInt32}
	r.known = facts.New(ctx, call, b.Measurer(call), b.config.Limits)
	r.facts = r.fact
	return r
}

// Measurer measures the files of a call.
func (b *Backend) Measurer(call toolbox.Call) facts.Measurer { return measurer{b, call} }

// measurer measures files for facts.
type measurer struct {
	b    *Backend
	call toolbox.Call
}

func (m measurer) Look(ctx context.Context, path string) (ffmpeg.Look, error) {
	return m.b.config.FFmpeg.Look(ctx, path)
}

func (m measurer) Pages(ctx context.Context, path string) ([]float64, error) {
	return m.b.pages(ctx, m.call, path)
}

func (m measurer) Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (facts.Heard, error) {
	r, err := recordingOf(v.Path, look)
	if err != nil {
		return facts.Heard{}, err
	}
	l, err := m.b.listen(ctx, m.call, r, longestFilm+time.Second)
	if err == nil && l.length == 0 {
		err = r.fault(errors.New("nothing was decoded"), plan.Say("holds no sound."))
	}
	return facts.Heard{Length: l.length, Voice: isVoice(v, l)}, err
}

func (m measurer) Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error) {
	r, err := recordingOf(v.Path, look)
	if err != nil {
		return ffmpeg.Loudness{}, err
	}
	return m.b.measure(ctx, m.call, r, "anull", ffmpeg.SamplePeaks)
}

// In is the file of a resource: for ffmpeg a mark in its place.
func (r *commandRun) In(arg string) (string, error) {
	if r.program == "ffmpeg" {
		return inMark + arg, nil
	}
	if arg == template.Made.Text {
		r.inputs = append(r.inputs, r.made)
		return r.made, nil
	}
	v := r.known.Values(arg)[0]
	path := v.Path
	switch v.Type {
	case plan.Document:
		if _, err := r.known.Pages(path); err != nil {
			return "", err
		}
	case plan.Video, plan.Audio:
		if _, err := r.known.Look(path); err != nil {
			return "", err
		}
	default:
		p, err := media.ReadPicture(r.ctx, path, r.config.Limits)
		if err != nil {
			return "", err
		}
		name := "in-" + arg + ".png"
		return name, media.EncodePlainPNG(r.ctx, filepath.Join(r.call.Dir, name), p.Image)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find a file: %w", err)
	}
	r.inputs = append(r.inputs, path)
	return path, nil
}

// inMark and outMark stand for files in the arguments of ffmpeg until the job is put together.
const inMark, outMark = "\x00in:", "\x00out"

// Words is a file with the text of an argument, or with tags as ffmpeg reads them.
func (r *commandRun) Words(arg string) (string, error) {
	path := filepath.Join(r.call.Dir, "words-"+arg+".txt")
	if !slices.Contains(r.texts, path) {
		r.texts = append(r.texts, path)
		text := r.call.Text(arg)
		if tags, ok := toolbox.Param[[]quantity.Tag](r.call, arg); ok {
			text = metadata(tags)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", &plan.Fault{Sentence: plan.Say("The text could not be handed over."), Err: err}
		}
	}
	return filepath.Base(path), nil
}

// metadata writes tags in the format ffmetadata: https://ffmpeg.org/ffmpeg-formats.html#Metadata-2
func metadata(tags []quantity.Tag) string {
	escape := strings.NewReplacer(`\`, `\\`, "=", `\=`, ";", `\;`, "#", `\#`, "\n", " ", "\r", " ", "\x00", "")
	lines := []string{";FFMETADATA1\n"}
	for _, t := range tags {
		name := t.Name
		if name == "year" {
			name = "date"
		}
		lines = append(lines, name+"="+escape.Replace(t.Value)+"\n")
	}
	return strings.Join(lines, "")
}

// Out is the file that is written, or the pattern of their names.
func (r *commandRun) Out(ending string, many bool) (string, error) {
	r.ending, r.many = ending, many
	switch {
	case r.program == "ffmpeg":
		return outMark, nil
	case many && r.program == "pdftoppm": // it adds numbers and the ending
		return "out", nil
	case many:
		return "out-%d." + ending, nil
	}
	return r.outName(), nil
}

// fact is what is known of a call and of the run.
func (r *commandRun) fact(name string) (template.Value, error) {
	switch {
	case name == "made" && r.made != "":
		return template.Made, nil
	case name == "written":
		return template.Num(r.written), nil
	case name == "item":
		return template.Num(float64(r.known.Item)), nil
	}
	return r.known.Of(name)
}

// recipe runs a recipe.
func (r *commandRun) recipe(recipe *template.Recipe) (toolbox.Output, error) {
	r.facts, r.length = recipe.Of(r.fact), recipe.Length
	if err := r.refused(recipe.Refuse); err != nil {
		return toolbox.Output{}, err
	}
	if recipe.First != nil {
		first, err := r.line(recipe.First, "first")
		if err != nil {
			return toolbox.Output{}, err
		}
		if r.made, err = filepath.Abs(first.Path); err != nil {
			return toolbox.Output{}, fmt.Errorf("find a file: %w", err)
		}
	}
	out, err := r.lines(recipe)
	if err != nil {
		return toolbox.Output{}, err
	}
	if textual(r.ending) {
		r.written = float64(len(out.Value))
		if err := r.refused(recipe.Refuse); err != nil {
			return toolbox.Output{}, err
		}
		out.About = plan.Quote(shorten(out.Value))
		if len(out.Value) > mostText {
			out.Value = strings.ToValidUTF8(out.Value[:mostText], "")
			out.Note = plan.Say("The text is long, so only its beginning is given; ask for some of the pages to read on.")
		}
	}
	notes, err := recipe.Notes.Say(r.facts)
	out.Note = plan.Sentences(append(notes, out.Note)...)
	for i := range 1 + len(out.More) {
		r.known.Item = i + 1
		about, failed := recipe.About.Say(r.facts)
		switch err = errors.Join(err, failed); {
		case len(about) == 0:
		case i == 0:
			out.About = about[0]
		default:
			out.More[i-1].About = about[0]
		}
	}
	return out, err
}

// lines runs the command line as often as the recipe says.
func (r *commandRun) lines(recipe *template.Recipe) (toolbox.Output, error) {
	if recipe.Times == nil {
		return r.line(recipe.Argv, "out")
	}
	times, err := recipe.Times.Number(r.facts)
	if err != nil {
		return toolbox.Output{}, err
	}
	if times <= 1 {
		return r.line(recipe.Argv, "out")
	}
	if times > mostFiles {
		return toolbox.Output{}, refusal("%d files are too many; at most %d can be made at once.", int(times), mostFiles)
	}
	all := make([]toolbox.Output, int(times))
	for i := range all {
		r.known.Item = i + 1
		if err := r.refused(recipe.Refuse); err != nil {
			return toolbox.Output{}, err
		}
		one, err := r.line(recipe.Argv, "out")
		if err != nil {
			return toolbox.Output{}, err
		}
		all[i] = one
		all[i].Path = filepath.Join(r.call.Dir, strconv.Itoa(i+1)+"-"+filepath.Base(one.Path))
		if err := os.Rename(one.Path, all[i].Path); err != nil {
			return toolbox.Output{}, fmt.Errorf("name a file: %w", err)
		}
	}
	all[0].More = all[1:]
	return all[0], nil
}

// textual reports whether files with the ending hold a text.
func textual(ending string) bool { return ending == "txt" || ending == "srt" || ending == "vtt" }

// refused is the first sentence that says why it cannot be done.
func (r *commandRun) refused(when *template.Remarks) error {
	said, err := when.Say(r.facts)
	if err == nil && len(said) > 0 {
		err = &plan.Fault{Sentence: said[0], Final: true}
	}
	return err
}

// line runs one command line.
func (r *commandRun) line(argv *template.Argv, base string) (toolbox.Output, error) {
	r.program, r.base, r.inputs = argv.Program(), base, nil
	args, err := argv.Expand(r.facts, r)
	if errors.Is(err, template.ErrNoValue) {
		err = &plan.Fault{Sentence: plan.Say("The file to work on is missing."), Err: err}
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	if r.program == "ffmpeg" {
		return r.ffmpeg(args[1:])
	}
	return r.other(args)
}

// outName is the file that another program than ffmpeg writes.
func (r *commandRun) outName() string {
	return r.base + "." + strings.Replace(r.ending, "picture", "png", 1)
}

// ffmpeg runs ffmpeg. Codecs and streams that the command line does not name are the usual ones.
func (r *commandRun) ffmpeg(args []string) (toolbox.Output, error) {
	job := ffmpeg.Job{Files: r.texts, Timeout: filmTime}
	var given []string
	for i := slices.Index(args, "-i"); i >= 0; i = slices.Index(args, "-i") {
		arg, ok := strings.CutPrefix(args[min(i+1, len(args)-1)], inMark)
		if r.isText(arg) { // it is read behind all resources
			break
		}
		if !ok {
			return toolbox.Output{}, errors.New("-i of ffmpeg is not followed by a resource")
		}
		in, err := r.input(arg, args[:i])
		if err != nil {
			return toolbox.Output{}, err
		}
		job.Inputs, given, args = append(job.Inputs, in), append(given, arg), args[i+2:]
	}
	if len(given) == 0 {
		return toolbox.Output{}, errors.New("ffmpeg is given no -i")
	}
	job.Args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == outMark })
	if format, ok := filmFormats()[r.ending]; ok {
		return r.film(job, given, format)
	}
	if format, ok := soundFormats()[r.ending]; ok || r.ending == "sound" {
		return r.sound(job, given, format)
	}
	animated, err := r.animated(given[0])
	if err != nil {
		return toolbox.Output{}, err
	}
	job.Inputs[0].Animated = animated
	switch {
	case r.ending == "gif":
		return r.do(job, "made.gif")
	case r.ending == "srt", r.ending == "vtt":
		return r.subtitles(job, given[0])
	case animated && !has(job.Args, "-update"):
		return r.animation(job)
	}
	if r.many && !has(job.Args, "-update") {
		return r.pictures(job)
	}
	if !has(job.Args, "-update") {
		job.Args = append(job.Args, "-frames:v", "1", "-update", "1")
	}
	switch r.ending {
	case "picture":
		return r.picture(job, given[0])
	case "jpg":
		return r.encoded(job, media.JPEG)
	}
	return r.do(job, "made.png")
}

// isText reports whether a file holds what people wrote.
func (r *commandRun) isText(name string) bool {
	return slices.ContainsFunc(r.texts, func(path string) bool { return filepath.Base(path) == name })
}

// has reports whether one of the options is given.
func has(args []string, options ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(options, a) })
}

// subtitles writes subtitles as a text, in a file that is called like the video.
func (r *commandRun) subtitles(job ffmpeg.Job, arg string) (toolbox.Output, error) {
	made, err := r.do(job, "subtitles."+r.ending)
	if err != nil {
		return toolbox.Output{}, err
	}
	text, err := os.ReadFile(made.Path)
	if err = errors.Join(err, os.Remove(made.Path)); err != nil {
		return toolbox.Output{}, fmt.Errorf("read subtitles: %w", err)
	}
	video := filepath.Base(r.known.Values(arg)[0].Path)
	name := strings.TrimSuffix(video, filepath.Ext(video)) + "." + r.ending
	return toolbox.Output{Value: strings.ToValidUTF8(strings.TrimSpace(string(text)), "?"), File: name}, nil
}

// film writes a video.
func (r *commandRun) film(job ffmpeg.Job, given []string, format filmFormat) (toolbox.Output, error) {
	f := film{}
	animated, err := r.animated(given[0])
	if err != nil {
		return toolbox.Output{}, err
	}
	job.Inputs[0].Animated = animated && len(job.Inputs[0].Before) == 0 // "-loop" repeats a still picture
	if v := r.known.Values(given[0])[0]; v.Type == plan.Video {
		look, err := r.known.Look(v.Path)
		if err == nil {
			f, err = filmOf(v.Path, look)
		}
		if err != nil {
			return toolbox.Output{}, err
		}
	}
	if !has(job.Args, "-map", "-filter_complex") {
		job.Args = append([]string{"-map", "0:V:0", "-map", "0:a:0?"}, job.Args...)
	}
	if !has(job.Args, "-c", "-c:v") {
		length, err := r.lasts(given)
		if err == nil {
			err = packable(length)
		}
		if err != nil {
			return toolbox.Output{}, err
		}
		job.Args = slices.Concat(f.playing(job.Args, format), format.pictures, r.below(length))
	}
	if !has(job.Args, "-c", "-c:a", "-an") {
		job.Args = append(job.Args, format.sound...)
	}
	job.Args = append(job.Args, format.more...)
	return r.do(job, "video."+format.ending)
}

// lasts is how long the result is.
func (r *commandRun) lasts(given []string) (time.Duration, error) {
	if r.length != nil {
		n, err := r.length.Number(r.facts)
		return time.Duration(n * float64(time.Second)), err
	}
	arg, _, _ := strings.Cut(given[0], "#")
	v, err := r.facts(arg + ".duration")
	return time.Duration(v.Number * float64(time.Second)), err
}

// sound writes a sound. The zero format is the one that all inputs have, or MP3 if they differ. What
// would be too large without compression is FLAC, unless the format was asked for.
func (r *commandRun) sound(job ffmpeg.Job, given []string, format soundFormat) (toolbox.Output, error) {
	job.Timeout = soundTime
	asked, rate, channels := format.ending != "", 0, 0
	for i, arg := range given {
		if arg == template.Made.Text || r.known.Values(arg)[0].Type == plan.Image {
			continue
		}
		rec, err := r.recordingIn(arg)
		if err != nil {
			return toolbox.Output{}, err
		}
		rate, channels = max(rate, rec.look.Audio().Frequency), max(channels, rec.look.Audio().Channels)
		switch same := rec.same(); {
		case asked:
		case i == 0:
			format = same
		case format.name != same.name:
			format = mp3
		}
		if i == 0 && !has(job.Args, "-map", "-filter_complex") {
			job.Args = append([]string{"-map", rec.sound()}, job.Args...)
		}
	}
	if has(job.Args, "-c", "-c:a") {
		return r.do(job, "sound."+format.ending)
	}
	length, err := r.lasts(given)
	if err != nil {
		return toolbox.Output{}, err
	}
	fitting, note := r.fitting(format, length, rate, channels)
	if asked && fitting.name != format.name {
		return toolbox.Output{}, refusal("As %s it would have %s, and at most %s are taken; ask for MP3 or FLAC.",
			format.name, megabytes(format.size(length, rate, channels)), megabytes(r.config.Limits.Bytes))
	}
	job.Args = append(job.Args, fitting.args...)
	out, err := r.do(job, "sound."+fitting.ending)
	out.Note = note
	return out, err
}

// recordingIn is a sound, looked at once.
func (r *commandRun) recordingIn(arg string) (recording, error) {
	path := r.known.Values(arg)[0].Path
	look, err := r.known.Look(path)
	if err != nil {
		return recording{}, err
	}
	return recordingOf(path, look)
}

// input is a resource as ffmpeg reads it.
func (r *commandRun) input(arg string, before []string) (ffmpeg.Input, error) {
	if arg == template.Made.Text {
		return ffmpeg.Input{Path: r.made, Before: before}, nil
	}
	v := r.known.Values(arg)[0]
	_, sound := soundFormats()[r.ending]
	switch {
	case v.Type != plan.Video && v.Type != plan.Audio:
		return ffmpeg.Input{Path: v.Path, Type: plan.Image, Before: before}, nil
	case v.Type == plan.Audio, sound, r.ending == "sound":
		return ffmpeg.Input{Path: v.Path, Type: plan.Audio, Before: before}, nil
	}
	l, err := r.known.Look(v.Path)
	if err != nil {
		return ffmpeg.Input{}, err
	}
	f, err := filmOf(v.Path, l)
	return f.input(before...), err
}

func (r *commandRun) do(job ffmpeg.Job, name string) (toolbox.Output, error) {
	job.Output = filepath.Join(r.call.Dir, name)
	if err := r.config.FFmpeg.Do(r.ctx, job); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: job.Output}, nil
}

// pictures writes several pictures.
func (r *commandRun) pictures(job ffmpeg.Job) (toolbox.Output, error) {
	job.Output = filepath.Join(r.call.Dir, "picture-%d.png")
	made, err := r.config.FFmpeg.Pictures(r.ctx, job, mostFiles+1)
	switch {
	case err != nil:
		return toolbox.Output{}, err
	case len(made) > mostFiles:
		return toolbox.Output{}, refusal("These would be more than %d files, and no more can be made at once.", mostFiles)
	}
	all := make([]toolbox.Output, len(made))
	for i, path := range made {
		all[i].Path = path
	}
	all[0].More = all[1:]
	return all[0], nil
}

// animated reports whether the argument is a GIF that moves.
func (r *commandRun) animated(arg string) (bool, error) {
	v := r.known.Values(arg)[0]
	if v.Type != plan.Image {
		return false, nil
	}
	info, err := media.Describe(r.ctx, v.Path, r.config.Limits)
	return info.MIME == "image/gif" && info.Frames > 1, err
}

// animation does the job to each picture of a GIF, and then gives it the 256 colours that suit it best.
func (r *commandRun) animation(job ffmpeg.Job) (toolbox.Output, error) {
	job.Args = append(job.Args, "-c:v", "ffv1", "-pix_fmt", "bgra", "-fps_mode", "passthrough")
	all, err := r.do(job, "made.mkv")
	if err != nil {
		return toolbox.Output{}, err
	}
	const colours = "[0:v:0]split[pictures][all];[all]palettegen=reserve_transparent=1[palette];[pictures][palette]paletteuse"
	out, err := r.do(ffmpeg.Job{
		Inputs: []ffmpeg.Input{{Path: all.Path, Type: plan.Video}}, Timeout: job.Timeout,
		Args: []string{"-filter_complex", colours, "-loop", "0", "-fps_mode", "passthrough", "-enc_time_base", "1/100"},
	}, "picture.gif")
	return out, errors.Join(err, os.Remove(all.Path))
}

// picture writes a picture in the format of the one that it is made of.
func (r *commandRun) picture(job ffmpeg.Job, arg string) (toolbox.Output, error) {
	info, err := media.Describe(r.ctx, r.known.Values(arg)[0].Path, r.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	var note plan.Message
	if info.Frames > 1 { // of another kind than GIF
		note = plan.Say("Only the first frame of the animation was used.")
	}
	format := media.FormatFor(info.Ext)
	if format == media.PNG {
		out, err := r.do(job, "picture.png")
		out.Note = note
		return out, err
	}
	out, err := r.encoded(job, format)
	out.Note = note
	return out, err
}

// encoded writes a picture in a format that ffmpeg does not write well. What is transparent becomes PNG where
// the format was not asked for.
func (r *commandRun) encoded(job ffmpeg.Job, format media.Format) (toolbox.Output, error) {
	// What is written anew need not be packed, and may be larger than a result.
	limits := r.config.Limits
	limits.Bytes = max(limits.Bytes, plainPixel*limits.Pixels)
	job.Args, job.Most = append(job.Args, "-compression_level", "0"), limits.Bytes
	plain, err := r.do(job, "made.png")
	if err != nil {
		return toolbox.Output{}, err
	}
	made, err := media.ReadPicture(r.ctx, plain.Path, limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if !made.Image.Opaque() && r.ending == "picture" {
		format = media.PNG
	}
	out := toolbox.Output{Path: filepath.Join(r.call.Dir, "picture."+string(format))}
	return out, media.EncodeImage(r.ctx, out.Path, made.Image, format)
}

// plainPixel is the most bytes that a pixel takes in a PNG without compression, and some more.
const plainPixel = 9

const (
	// mostText is the longest text that is given, in bytes.
	mostText = 512 << 10
	// mostFiles is the limit on the files that one command writes.
	mostFiles = 100
)

// other runs another program than ffmpeg.
func (r *commandRun) other(args []string) (toolbox.Output, error) {
	c := sandbox.Command{
		Program: args[0], Args: args[1:], Dir: r.call.Dir, Read: r.inputs, File: r.config.Limits.Bytes,
		Memory: otherMemory, Timeout: otherTime,
	}
	var err error
	if c.Dir, err = filepath.Abs(r.call.Dir); err != nil {
		return toolbox.Output{}, fmt.Errorf("find the folder of a call: %w", err)
	}
	if textual(r.ending) {
		c.File = mostTold
	}
	if _, err := r.run(r.ctx, c); err != nil {
		return toolbox.Output{}, err
	}
	if r.many {
		return r.several(args[0])
	}
	made := filepath.Join(c.Dir, r.outName())
	if err := sandbox.Left(made); err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", args[0]), Err: err}
	}
	if textual(r.ending) {
		text, err := os.ReadFile(made)
		return toolbox.Output{Value: strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")}, err
	}
	return toolbox.Output{Path: made}, nil
}

// several are the numbered files that a program wrote, in order.
func (r *commandRun) several(program string) (toolbox.Output, error) {
	found, err := filepath.Glob(filepath.Join(r.call.Dir, "out-*."+r.ending))
	switch {
	case err != nil || len(found) == 0:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", program), Err: err}
	case len(found) > mostFiles:
		return toolbox.Output{}, refusal("%d files are too many; at most %d can be made at once.", len(found), mostFiles)
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	all := make([]toolbox.Output, len(found))
	for i, path := range found {
		all[i].Path = filepath.Join(r.call.Dir, "page-"+strconv.Itoa(i+1)+"."+r.ending)
		if err := errors.Join(sandbox.Left(path), os.Rename(path, all[i].Path)); err != nil {
			return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The program %s wrote nothing.", program), Err: err}
		}
	}
	all[0].More = all[1:]
	return all[0], nil
}
