package wording_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/wording"
)

var update = flag.Bool("update", false, "write the golden files of this package")

var embedded = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

func catalogue(t *testing.T) *toolbox.Catalogue {
	t.Helper()
	c, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// files are what people have, by type.
var files = map[plan.Type]string{plan.Image: "photo.jpg", plan.Video: "clip.mp4", plan.Audio: "song.mp3", plan.HTML: "page.html", plan.Document: "report.pdf", plan.AnyFile: "notes.txt"}

// words are what people say, by the tool's argument or by what a text means.
var words = map[string]string{
	"change_audio_speed.factor": "1.5x", "cut_animation.range": "0:01-0:03", "insert_sound.at": "0:30", "insert_sound_video.at": "0:30", "change_animation_speed.factor": "twice as fast", "change_canvas.size": "1080x1080", "loop_audio.count": "3 times", "loop_video.count": "twice", "crop_shape.shape": "circle",
	"change_bit_rate.rate": "128 kbps", "change_sample_rate.rate": "44.1 kHz", "change_frame_rate.rate": "25 fps", "change_animation_rate.rate": "10 fps", "fit_audio_size.limit": "2 MB",
	"convert_table.format": "JSON",
	"pad_image.shape":      "16:9", "pad_video.shape": "16:9", "resize_video.size": "720p", "stylize_picture.look": "sketch",
	"cut_video.range": "0:03 to 0:07", "pdf_to_images.pages": "page 2", "extract_pages.pages": "pages 2 and 3", "cut_audio.range": "the first 5 seconds", "change_speed.factor": "twice as fast",
	"crop_region.region": "left half", "resize_image.size": "half as large", "fit_image_size.limit": "20 kB",
	"extract_frames.moment": "0:05", "translation.language": "German", "convert_image.format": "png",
	"convert_audio.format": "flac", "convert_video.format": "webm", "get_time.place": "Tokyo",

	string(plan.Object): "dog", string(plan.Prompt): "a red fox in the snow", string(plan.Instruction): "make the sky purple",
	string(plan.Query): "How many dogs are there?", string(plan.Content): "Hello from the sea", string(plan.Amount): "a lot",
	string(plan.Place): "top left", string(plan.Format): "png", string(plan.Language): "German",
}

// abouts are what results say of themselves, as their backends word it.
var abouts = map[string]string{
	"adjust_bass_treble": "more bass (+6 dB)", "adjust_image": "brightness +20%, sepia", "adjust_video": "in sepia", "auto_enhance": "its light corrected", "black_out_objects": "2 areas", "black_out_region": "one area",
	"blur_objects": "all but 2 areas", "blur_region": "all but one area", "blur_video_region": "one area",
	"change_animation_speed": "at 2× speed", "change_audio_speed": "at 1.5× speed", "change_canvas": "fitted into 1080 × 1080 pixels, with bars",
	"change_channels": "mono", "change_opacity": "50% transparent", "change_pitch": "3 semitones higher",
	"resize_video": "resized to 1280 × 720 pixels", "change_speed": "at 2× speed (0:06 long)", "change_volume": "louder", "change_volume_video": "louder",
	"caption_strip": "below it", "convert_audio": "as FLAC", "convert_image": "as PNG", "convert_video": "as WebM", "make_gif": "GIF", "crop_shape": "a circle", "cut_animation": "0:01–0:03", "cut_audio": "0:00–0:05",
	"cut_video": "0:03–0:07", "extract_frames": "0:05", "extract_pages": "2 pages", "fade_audio": "faded in over 2 seconds",
	"fade_video": "faded in over a second and out over 2 seconds", "fit_image_size": "made smaller (16 kB, 640 × 426 pixels)",
	"fit_video_size": "made smaller (1.9 MB, 640 × 360 pixels)", "flip_image": "mirrored left to right", "flip_video": "mirrored top to bottom",
	"hide_masked": "the marked part blurred", "highlight_object_on_image": "3 boxes on it", "loop_audio": "3 times", "loop_video": "twice",
	"pages_per_sheet": "with 2 pages on a sheet", "shift_subtitles": "2 seconds earlier", "mix_audio": "under it, at 30% of its volume", "mute_audio": "0:10–0:12", "pdf_to_images": "2", "pixelate_objects": "one area",
	"resize_image": "resized to 320 × 213 pixels", "rotate_image": "rotated 90 degrees clockwise", "rotate_pdf": "rotated 90 degrees", "split_pdf": "pages 1 to 3",
	"rotate_video": "rotated 90 degrees clockwise", "straighten_image": "straightened by 5 degrees", "trim_silence": "without its silence",
}

// TestEveryTool holds what is said of each tool's result, and how its file is called, to
// testdata/made.txt: read it as somebody who speaks English.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	var b strings.Builder
	for _, tool := range c.Tools() {
		a, origin, values := used(tool)
		said := wording.Made(c, a)[0].String()
		fmt.Fprintf(&b, "%s: ", tool.Name)
		if !tool.Returns.Media() {
			fmt.Fprintf(&b, "%s: …", said)
		} else {
			fmt.Fprintf(&b, "Here is %s. [%s]", said, plan.FileName(origin, toolbox.FillSlots(tool.Suffix, func(s string) string {
				if s == toolbox.About {
					return abouts[tool.Name]
				}
				return values[s]
			}), ".ext"))
		}
		b.WriteByte('\n')
		if strings.Contains(said, tool.Name) || strings.Contains(said, "  ") || strings.ContainsAny(said, "{}_") {
			t.Errorf("%s: %q", tool.Name, said)
		}
	}
	name := filepath.Join("testdata", "made.txt")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s should be, if it reads well:\n%s", name, b.String())
	}
}

// used is the account of one use of a tool, the file that it was used on, and what its text
// arguments were.
func used(tool toolbox.Tool) (a planner.Account, origin string, values map[string]string) {
	values = map[string]string{}
	action := plan.Action{Tool: tool.Name, Returns: tool.Returns}
	var given []plan.Resource
	give := func(arg toolbox.Arg, file string) {
		name := fmt.Sprintf("in-%d", len(given))
		r := plan.Resource{Name: name, Type: arg.Type, File: file}
		switch {
		case file == "" && arg.Type.Media() && len(given) > 0:
			r.On = given[0].Name
		case file == "":
			r.Value = "something"
		case origin == "":
			origin = file
		}
		given = append(given, r)
		action.Args = append(action.Args, plan.Binding{Arg: arg.Name, Type: arg.Type, Source: plan.FromResource(name)})
	}
	text := ""
	for _, arg := range tool.Args {
		file := files[arg.Type]
		switch {
		case arg.Type == plan.Text:
			said := words[tool.Name+"."+arg.Name]
			if said == "" {
				said = words[string(arg.Meaning)]
			}
			values[arg.Name] = said
			if text == "" {
				text = said
			}
			action.Args = append(action.Args, plan.Binding{Arg: arg.Name, Type: arg.Type, Source: plan.FromValue(said)})
		case file == "" && arg.Type.ImageMap() && arg.Type != plan.Mask:
			give(arg, string(arg.Type)+".png")
		case arg.Many:
			give(arg, "first-"+file)
			give(arg, "second-"+file)
		default:
			give(arg, file)
		}
	}
	if origin == "" {
		origin = text
	}
	out := plan.Resource{Name: "out-1a2b", Type: tool.Returns, About: abouts[tool.Name]}
	a = account("do it", plan.Result{Status: plan.Done, Output: &out})
	a.Steps[0].Action, a.Plan.Resources = action, given
	return a, origin, values
}

// account is one of a subtask for each result, all of them final.
func account(wish string, results ...plan.Result) planner.Account {
	a := planner.Account{Request: plan.Request{Wish: wish}, Plan: &plan.Plan{Wish: wish}, Results: results}
	for i, r := range results {
		action := plan.Action{Tool: "image_to_edge", Returns: plan.Edge, Args: []plan.Binding{{Arg: "image", Type: plan.Image, Source: plan.FromResource("photo-3f2a.jpg")}}}
		if r.Output != nil && r.Output.Type != plan.Edge {
			action.Tool, action.Returns = "", r.Output.Type
		}
		a.Steps = append(a.Steps, plan.Step{Key: strconv.Itoa(i), Task: i, Final: true, Action: action})
		a.Plan.Tasks = append(a.Plan.Tasks, plan.Task{Subtask: plan.Subtask{Description: fmt.Sprintf("part %d", i+1)}})
	}
	a.Plan.Resources = []plan.Resource{{Name: "photo-3f2a.jpg", File: "photo.jpg", Type: plan.Image}}
	return a
}

func done(outs ...plan.Resource) plan.Result {
	return plan.Result{Status: plan.Done, Output: &outs[0], More: outs[1:]}
}

func edges() plan.Resource {
	return plan.Resource{Name: "photo-3f2a.edge-91bc.png", File: "photo-edges.png", Type: plan.Edge, About: "edge map"}
}

func grey() plan.Resource {
	return plan.Resource{Name: "photo-3f2a.edge-91bc.greyscale-77aa.png", File: "photo-edges-black-and-white.png", Type: plan.Image}
}

func text(s string) plan.Resource { return plan.Resource{Name: "text-1", Type: plan.Text, Value: s} }

// chain is an account in which the second step takes up what the first one made.
func chain(first, second plan.Result) planner.Account {
	a := account("the edges, in black and white", first, second)
	a.Steps[1].Action = plan.Action{Tool: "greyscale_image", Returns: plan.Image, Args: []plan.Binding{{Arg: "image", Type: plan.Image, Source: plan.FromAction(0)}}}
	return a
}

var hash = regexp.MustCompile(`-[0-9a-f]{4}\b`)

func TestAccount(t *testing.T) {
	t.Parallel()
	failed := plan.Result{Status: plan.Failed, Problem: "The picture is too large."}
	skipped := plan.Result{Status: plan.Skipped}
	approximate, noted, modelled := done(edges()), done(edges()), done(text("A dog."))
	approximate.Approximate, noted.Note, modelled.Model = true, "It was turned upright first.", "blip"
	drawn := done(edges())
	drawn.Model = "canny-2"
	lacking := account("sing")
	lacking.Missing = []string{"I cannot do “sing” here. It needs a band."}
	lacking.Plan.Tasks = []plan.Task{{}}
	fallback := account("find the edges", done(edges()))
	fallback.Fallbacks = []string{"It rained. So I did it another way."}
	onTheWay := chain(done(edges()), done(grey()))
	onTheWay.Steps[0].Final, onTheWay.Steps[0].Task = false, 1
	superseded := chain(done(grey()), done(plan.Resource{Name: "b-1a2b.png", File: "b.png", Type: plan.Image}))
	superseded.Steps[0].Action.Returns = plan.Image
	again := chain(done(grey()), done(plan.Resource{Name: "b-1a2b.png", File: "b.png", Type: plan.Image}))
	again.Steps[0].Action = plan.Action{Tool: "greyscale_image", Returns: plan.Image}
	many := done(edges(), grey(), edges(), grey())
	for _, c := range []struct {
		name    string
		account planner.Account
		want    string
	}{
		{"a file", account("find the edges", done(edges())), "Here is the edge map of photo.jpg."},
		{"a model that made it", account("find the edges", drawn), "Here is the edge map of photo.jpg, made with canny-2."},
		{"two files", account("both", done(edges()), done(plan.Resource{Name: "b-1a2b.png", File: "b.png", Type: plan.Image})), "Here is what I made:\n- photo-edges.png: the edge map of photo.jpg\n- b.png: an image"},
		{"two files of a step", account("both", done(edges(), grey())), "Here is what I made:\n- photo-edges.png and photo-edges-black-and-white.png: the edge map of photo.jpg"},
		{"many files of a step", account("all", many), "Here is what I made:\n- photo-edges.png to photo-edges-black-and-white.png (4 files): the edge map of photo.jpg"},
		{"one thing after another", chain(done(edges()), done(grey())), "Here is the edge map of photo.jpg, in black and white.\nAlong the way I also made photo-edges.png."},
		{"a file on the way", onTheWay, "Here is the edge map of photo.jpg, in black and white.\nAlong the way I also made photo-edges.png."},
		{"a picture of which another was made", superseded, "Here is an image, in black and white."},
		{"two runs of one tool", again, "Here is an image, in black and white.\nAlong the way I also made photo-edges-black-and-white.png."},
		{"the second thing fails", chain(done(edges()), failed), "Here is the edge map of photo.jpg.\nI could not do “part 2”. The picture is too large."},
		{"the first thing fails", chain(failed, skipped), "I could not do “part 1”. The picture is too large.\nNot done: “part 2”. It needs the result of a step that failed."},
		{"a failure without a word", account("x", plan.Result{Status: plan.Failed}), "I could not do “part 1”."},
		{"nothing ran", account("x", plan.Result{Status: plan.Waiting}), "I could not do it."},
		{"nothing can be done here", lacking, "I cannot do “sing” here. It needs a band."},
		{"a text", account("what is it", done(text("Two dogs play."))), "Two dogs play."},
		{"a model's text", account("what is it", modelled), "A dog.\nModels used: blip."},
		{"two texts", account("both", done(text("A dog.")), done(text("One\ntwo"))), "A text: A dog.\nA text:\nOne\ntwo"},
		{"boxes", account("find", done(plan.Resource{Type: plan.BBox, Value: `[{"label":"dog","score":0.9,"xmin":1,"ymin":2,"xmax":3,"ymax":4},{"xmax":1,"ymax":1}]`})), "Found: dog at (1, 2)–(3, 4) (90 %); something at (0, 0)–(1, 1)."},
		{"no boxes", account("find", done(plan.Resource{Type: plan.BBox, Value: "[]"})), "I found nothing of that kind."},
		{"classes", account("what", done(plan.Resource{Type: plan.Category, Value: `[{"label":"beach","score":0.5},{"label":"sea"}]`})), "It looks like: beach (50 %), sea."},
		{"a value that is spoilt", account("what", done(plan.Resource{Type: plan.Category, Value: "{"})), "I could not tell what it is."},
		{"a title", account("title", done(plan.Resource{Type: plan.Title, Value: "At Sea"})), "Title: At Sea"},
		{"tags", account("tags", done(plan.Resource{Type: plan.Tags, Value: "sea, sand"})), "Tags: sea, sand"},
		{"approximate", account("edges", approximate), "Here is the edge map of photo.jpg.\nIt is only approximate."},
		{"approximate among others", account("edges", approximate, done(text("A dog."))), "A dog.\nHere is the edge map of photo.jpg.\nOnly approximate: the edge map of photo.jpg."},
		{"a note", account("edges", noted), "Here is the edge map of photo.jpg.\nIt was turned upright first."},
		{"another way", fallback, "Here is the edge map of photo.jpg.\nIt rained. So I did it another way."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := wording.Account(catalogue(t), c.account, nil)
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if hash.MatchString(got) || strings.Contains(got, "_") {
				t.Errorf("%q has names that people are not to read", got)
			}
		})
	}
}

// Many things are counted, a long chain is cut short by the name of a file, and what is marked on
// a picture is no file.
func TestMade(t *testing.T) {
	t.Parallel()
	long := chain(done(edges()), done(grey()))
	long.Plan.Resources[0].File = strings.Repeat("very long ", 12) + "name.jpg"
	marked := account("x", done(plan.Resource{Name: "m", Type: plan.Mask}))
	marked.Plan.Resources = append(marked.Plan.Resources, plan.Resource{Name: "mask-1", Type: plan.Mask, On: "photo-3f2a.jpg"})
	marked.Steps[0].Action = plan.Action{Tool: "image_inpainting", Returns: plan.Image, Args: []plan.Binding{
		{Arg: "image", Type: plan.Image, Source: plan.FromResource("mask-1")},
	}}
	collage := account("x", done(grey()))
	collage.Steps[0].Action = plan.Action{Tool: "collage_images", Returns: plan.Image}
	for range 5 {
		collage.Steps[0].Action.Args = append(collage.Steps[0].Action.Args, plan.Binding{Arg: "images", Type: plan.Image, Source: plan.FromResource("photo-3f2a.jpg")})
	}
	quoting := account("x", done(grey()))
	quoting.Steps[0].Action = plan.Action{Tool: "text_to_image", Returns: plan.Image, Args: []plan.Binding{
		{Arg: "prompt", Type: plan.Text, Source: plan.FromText("a drawing of {0} by night", plan.FromResource("photo-3f2a.jpg"))},
	}}
	formed := account("x", done(grey()))
	formed.Steps[0].Action = plan.Action{Tool: "text_to_image", Returns: plan.Image, Args: []plan.Binding{
		{Arg: "prompt", Type: plan.Text, Source: plan.FromValue("a fox")}, {Arg: "size", Setting: "512x768"}, {Arg: "without", Setting: "people, text"},
		{Arg: "seed", Setting: "7"},
	}}
	unsaid := account("x", done(grey()))
	unsaid.Steps[0].Action = plan.Action{Tool: "resize_image", Returns: plan.Image, Args: quoting.Steps[0].Action.Args}
	for want, a := range map[string]planner.Account{
		"photo-edges.png, in black and white":                           long,
		"what is marked on photo.jpg with the marked part removed":      marked,
		"a collage of 5 files":                                          collage,
		"a picture of “a drawing of photo.jpg by night”":                quoting,
		"a picture of “a fox” (512 × 768 pixels, without people, text)": formed,
		"an image": unsaid,
	} {
		all := wording.Made(catalogue(t), a)
		if got := all[len(all)-1].String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
