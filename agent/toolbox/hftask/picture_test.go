package hftask

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/toolboxtest"
)

// near reports whether two colours look the same, even after JPEG compression.
func near(a, b color.Color) bool {
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	for _, d := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}, {a1, a2}} {
		if max(d[0], d[1])-min(d[0], d[1]) > 0x1800 {
			return false
		}
	}
	return true
}

// TestCoordinatesAreScaled checks that a large picture is sent smaller, and that coordinates in the answer are
// converted to its pixels.
func TestCoordinatesAreScaled(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	const w, h = 300, 200
	b.sent = w * h / 4 // half as wide and as high
	given := fileWith(t, plan.Image, "large.png", mediatest.PNG(scene(w, h)))
	finding := answering(t, "object-detection", `[{"label":"a","score":1,"box":{"xmin":15,"ymin":10,"xmax":75,"ymax":50}}]`)
	finding.sent = b.sent
	out := must(t, finding, candidate("object-detection"), call(t, plan.BBox, args{"image": given}))
	if out.Value != `[{"label":"a","score":1,"xmin":30,"ymin":20,"xmax":150,"ymax":100}]` {
		t.Errorf("found %s", out.Value)
	}
	points := value(plan.Points, `[{"x":60,"y":60},{"x":225,"y":140,"exclude":true}]`)
	masked := must(t, b, candidate("mask-generation"), call(t, plan.Mask, args{"image": given, "points": points}))
	mask, err := media.ReadMask(t.Context(), masked.Path, media.Limits{})
	if err != nil || mask.Width != w || mask.Height != h || mask.At(60, 60) != 1 || mask.At(225, 140) != 0 {
		t.Errorf("the mask is %dx%d: %d %d, %v", mask.Width, mask.Height, mask.At(60, 60), mask.At(225, 140), err)
	}
	if asked := server.Asked("mask-generation")[0]; asked.Kinds["inputs"] != "image/png 150x100" || fmt.Sprint(asked.Parameters["points"], asked.Parameters["labels"]) != "[[30 30] [112 70]] [1 0]" {
		t.Errorf("asked %+v", asked)
	}
	_, err = b.Run(t.Context(), candidate("mask-generation"), call(t, plan.Mask, args{"image": given, "points": value(plan.Points, `[{"x":300,"y":1}]`)}))
	blames(t, err, false, "is outside the picture")
}

// TestUnmaskedPixelsStay checks that nothing changes outside the mask, whatever the server draws.
func TestUnmaskedPixelsStay(t *testing.T) {
	t.Parallel()
	_, b := serve(t)
	const w, h = 120, 90
	given := scene(w, h)
	hole := image.Rect(20, 15, 50, 40)
	out := must(t, b, candidate("image-to-image+mask"), call(t, plan.Image, args{
		"image":  fileWith(t, plan.Image, "a.png", mediatest.PNG(given)),
		"mask":   fileWith(t, plan.Mask, "m.png", mediatest.PNG(maskOver(w, h, hole))),
		"prompt": text("a blue disc"),
	}))
	made, changed := pictureAt(t, out.Path), 0
	for y := range h {
		for x := range w {
			same := made.At(x, y) == color.Color(given.NRGBAAt(x, y)) || near(made.At(x, y), given.At(x, y))
			switch {
			case !image.Pt(x, y).In(hole) && !same:
				t.Fatalf("the pixel %d, %d has changed", x, y)
			case !same:
				changed++
			}
		}
	}
	if changed == 0 {
		t.Error("nothing has changed inside the mask")
	}
	_, err := b.Run(t.Context(), candidate("image-to-image+mask"), call(t, plan.Image, args{
		"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(given)),
		"mask":  fileWith(t, plan.Mask, "m.png", mediatest.PNG(plain(w, h, color.Black))),
	}))
	blames(t, err, false, "covers nothing")
}

// TestMasks checks that masks are combined in the size of the picture, the smaller ones on top, with their labels.
func TestMasks(t *testing.T) {
	t.Parallel()
	_, b := serve(t)
	const w, h = 120, 90
	given := args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(w, h)))}
	out := must(t, b, candidate("image-segmentation"), call(t, plan.Mask, given))
	parts, err := plan.DecodeValue[plan.Part](plan.Resource{Value: out.Value})
	if err != nil {
		t.Fatal(err)
	}
	mask, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
	if err != nil || len(parts) != 2 || mask.Parts != 2 {
		t.Fatalf("%d parts, %+v, %v", mask.Parts, parts, err)
	}
	redPart, bluePart, ground := mask.At(30, 20), mask.At(90, 60), mask.At(110, 80)
	if redPart == 0 || bluePart == 0 || redPart == bluePart || ground != 0 || parts[redPart-1].Label == parts[bluePart-1].Label {
		t.Errorf("red %d, blue %d, ground %d of %+v", redPart, bluePart, ground, parts)
	}
	free := must(t, b, candidate("image-segmentation"), call(t, plan.Image, given))
	made := pictureAt(t, free.Path)
	if _, _, _, a := made.At(110, 80).RGBA(); a != 0 {
		t.Error("the background is not transparent")
	}
	if !near(made.At(30, 20), red) {
		t.Errorf("the object is %v", made.At(30, 20))
	}
	empty := must(t, b, candidate("image-segmentation"), call(t, plan.Mask, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(plain(w, h, white)))}))
	if empty.Value != "[]" || empty.Path == "" {
		t.Errorf("an empty picture: %+v", empty)
	}
}

// TestOverlappingMasks checks that the smaller mask is on top, in either order.
func TestOverlappingMasks(t *testing.T) {
	t.Parallel()
	const w, h = 40, 30
	mask := func(r image.Rectangle) string {
		return base64.StdEncoding.EncodeToString(mediatest.PNG(maskOver(w, h, r)))
	}
	large, small, none := mask(image.Rect(0, 0, 30, 30)), mask(image.Rect(5, 5, 10, 10)), mask(image.Rectangle{})
	for _, order := range [][2]string{{large, small}, {small, large}} {
		b := answering(t, "image-segmentation", `[{"label":"a","score":0.9,"mask":"`+order[0]+`"},{"label":"nothing","score":0.7,"mask":"`+none+`"},{"label":"b","score":0.5,"mask":"`+order[1]+`"}]`)
		out := must(t, b, candidate("image-segmentation"), call(t, plan.Mask, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(plain(w, h, red)))}))
		m, err := media.ReadMask(t.Context(), out.Path, media.Limits{})
		if err != nil || m.Parts != 2 || m.At(7, 7) == 0 || m.At(7, 7) == m.At(20, 20) || m.At(35, 7) != 0 || strings.Contains(out.Value, "nothing") {
			t.Errorf("%+v: %d %d, %v", out, m.At(7, 7), m.At(20, 20), err)
		}
	}
}

// answering is a server with one task and one answer.
func answering(t *testing.T, task, body string) *Backend {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.Copy(io.Discard, r.Body) //nolint:errcheck // the client may be gone
			say(200, body)(w)
			return
		}
		tasksOnly(w, r, task)
	}))
	t.Cleanup(server.Close)
	return backendAt(t, server.URL)
}

// TestBoxesAreClipped checks that boxes are clipped and rounded, and that empty ones are omitted.
func TestBoxesAreClipped(t *testing.T) {
	t.Parallel()
	b := answering(t, "object-detection", `[{"label":"a","score":0.4,"box":{"xmin":-5,"ymin":-0.4,"xmax":10.6,"ymax":99}},
		{"label":"b","score":1.7,"box":{"xmin":3,"ymin":3,"xmax":3,"ymax":9}},{"label":"c","score":0.9,"box":{"xmin":39,"ymin":29,"xmax":1e300,"ymax":30}}]`)
	out := must(t, b, candidate("object-detection"), call(t, plan.BBox, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(plain(40, 30, red)))}))
	if want := `[{"label":"c","score":0.9,"xmin":39,"ymin":29,"xmax":40,"ymax":30},{"label":"a","score":0.4,"xmin":0,"ymin":0,"xmax":11,"ymax":30}]`; out.Value != want {
		t.Errorf("got %s", out.Value)
	}
	none := answering(t, "object-detection", `[]`)
	if out := must(t, none, candidate("object-detection"), call(t, plan.BBox, args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(plain(40, 30, red)))})); out.Value != "[]" {
		t.Errorf("got %+v", out)
	}
}

// TestMapsKeepSize checks that a map has the size of its picture, and a picture that of its map.
func TestMapsKeepSize(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	given := fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(120, 90)))
	for run, returns := range map[string]plan.Type{"image-to-image+scribble": plan.Scribble, "depth-estimation": plan.Depth, "keypoint-detection": plan.Pose} {
		out := must(t, b, candidate(run), call(t, returns, args{"image": given}))
		if size := pictureAt(t, out.Path).Bounds().Size(); size != image.Pt(120, 90) {
			t.Errorf("%s has the size %v", run, size)
		}
	}
	if got := server.Asked("image-to-image")[0].Parameters["control_mode"]; got != "scribble" {
		t.Errorf("asked for %v", got)
	}
	drawn := must(t, b, candidate("text-to-image+edge"), call(t, plan.Image, args{"prompt": text("a house"), "edge": fileWith(t, plan.Edge, "e.png", mediatest.PNG(scene(64, 64)))}))
	asked := server.Asked("text-to-image")[0]
	if asked.Parameters["control_mode"] != "edge" || asked.Kinds["control_image"] != "image/png 64x64" || asked.Text != "a house" || asked.Parameters["seed"] != 7.0 || drawn.Seed != 7 {
		t.Errorf("request %+v, reported seed %d", asked, drawn.Seed)
	}
}

// TestPose checks that a pose is drawn in OpenPose's style.
func TestPose(t *testing.T) {
	t.Parallel()
	points := map[string][2]float64{"nose": {50, 10}, "left_shoulder": {70, 30}, "right_shoulder": {30, 30}}
	var list []map[string]any
	for name, at := range points {
		list = append(list, map[string]any{"label": name, "x": at[0], "y": at[1], "score": 0.9})
	}
	list = append(list, map[string]any{"label": "left_ankle", "x": 90, "y": 90, "score": 0.01})
	body, err := json.Marshal([]map[string]any{{"score": 0.9, "keypoints": list}})
	if err != nil {
		t.Fatal(err)
	}
	given := args{"image": fileWith(t, plan.Image, "a.png", mediatest.PNG(plain(100, 100, white)))}
	out := must(t, answering(t, "keypoint-detection", string(body)), candidate("keypoint-detection"), call(t, plan.Pose, given))
	made := pictureAt(t, out.Path)
	for at, want := range map[image.Point]color.Color{
		{50, 10}: color.NRGBA{255, 0, 0, 255}, {50, 30}: color.NRGBA{255, 85, 0, 255}, {30, 30}: color.NRGBA{255, 170, 0, 255}, {70, 30}: color.NRGBA{85, 255, 0, 255}, // joints; the neck is between the shoulders
		{40, 30}: color.NRGBA{153, 0, 0, 255}, {90, 90}: color.NRGBA{0, 0, 0, 255}, // a limb; an uncertain point
	} {
		if !near(made.At(at.X, at.Y), want) {
			t.Errorf("%v is %v, want %v", at, made.At(at.X, at.Y), want)
		}
	}
	_, err = answering(t, "keypoint-detection", `[]`).Run(t.Context(), candidate("keypoint-detection"), call(t, plan.Pose, given))
	blames(t, err, false, "found no person")
}

// TestSentPictures checks that pictures are sent as PNG or JPEG, upright, without metadata, and that an unreadable one
// is the input's fault.
func TestSentPictures(t *testing.T) {
	t.Parallel()
	lying := turned(mediatest.JPEG(scene(120, 90)), "gps: 48.1, 11.5")
	deep := image.NewNRGBA64(image.Rect(0, 0, 40, 30))
	for i := range deep.Pix {
		deep.Pix[i] = 0xFF
	}
	for name, c := range map[string]struct {
		file     []byte
		sent     string
		note     bool
		sentence string
	}{
		"photo.jpg":     {lying, "image/jpeg 90x120", false, ""},
		"deep.png":      {mediatest.PNG(deep), "image/png 40x30", false, ""},
		"moving.gif":    {animation(t), "image/png 20x20", true, ""},
		"odd.png":       {mediatest.PNG(plain(41, 31, red)), "image/png 41x31", false, ""},
		"clear.png":     {mediatest.PNG(plain(8, 8, color.NRGBA{1, 2, 3, 0})), "image/png 8x8", false, ""},
		"truncated.png": {mediatest.PNG(scene(120, 90))[:200], "", false, "cut off or damaged"},
		"empty.png":     {nil, "", false, "is empty"},
		"wrong.png":     {mediatest.Tone("hello", time.Second/10), "", false, "is a WAV sound, but a picture is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, b := serve(t)
			asked := call(t, plan.Text, args{"image": fileWith(t, plan.Image, name, c.file)})
			out, err := b.Run(t.Context(), candidate("image-to-text"), asked)
			promisedNothing(t, asked.Dir)
			if c.sentence != "" {
				blames(t, err, false, c.sentence)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := server.Asked("image-to-text")[0].Kinds["inputs"]; got != c.sent || out.Note.IsZero() == c.note {
				t.Errorf("sent %s, note %s", got, out.Note)
			}
		})
	}
	f, _, err := (&job{backend: backendAt(t, "http://localhost:1"), call: call(t, plan.Text, nil)}).drawn(t.Context(), fileWith(t, plan.Image, "p.jpg", lying)[0])
	if err != nil || bytes.Contains(f.content, []byte("gps")) {
		t.Errorf("metadata left: %v", err)
	}
}

// turned returns a JPEG with a comment, whose EXIF says that it is rotated.
func turned(jpeg []byte, comment string) []byte {
	exif := []byte("Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	exif = append(exif, comment...)
	segment := append(binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(exif)+2)), exif...)
	return append(append(append([]byte{}, jpeg[:2]...), segment...), jpeg[2:]...)
}

// animation returns a GIF with two frames.
func animation(t *testing.T) []byte {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, 20, 20), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{5, 5}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEnlarging checks that the wanted size is requested.
func TestEnlarging(t *testing.T) {
	t.Parallel()
	_, b := serve(t)
	given := fileWith(t, plan.Image, "a.png", mediatest.PNG(scene(120, 90)))
	for factor, want := range map[string]image.Point{"": {240, 180}, "3x": {360, 270}, "200 px wide": {200, 150}} {
		out := must(t, b, candidate("super-resolution"), call(t, plan.Image, args{"image": given, "factor": text(factor)}))
		if got := pictureAt(t, out.Path).Bounds().Size(); got != want {
			t.Errorf("%q: %v, want %v", factor, got, want)
		}
	}
	for factor, sentence := range map[string]string{"100 px wide": "would not be larger", "1000 times": "is too large"} {
		how := candidate("super-resolution")
		c, err := toolboxtest.Typed(t, how.Backing, call(t, plan.Image, args{"image": given, "factor": text(factor)}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Run(t.Context(), how, c)
		blames(t, err, false, sentence)
	}
	lazy := answering(t, "image-to-image", `{"image":"`+base64.StdEncoding.EncodeToString(mediatest.PNG(scene(120, 90)))+`"}`)
	how := candidate("super-resolution")
	c, err := toolboxtest.Typed(t, how.Backing, call(t, plan.Image, args{"image": given}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = lazy.Run(t.Context(), how, c)
	blames(t, err, true, "did not make the picture larger")
}

// TestMissingInputs checks that a missing input is reported.
func TestMissingInputs(t *testing.T) {
	t.Parallel()
	_, b := serve(t)
	for run, sentence := range map[string]string{
		"text-to-image": "should show", "text-to-video": "should show", "text-to-speech": "no text to read aloud", "text-to-audio": "should be like",
		"image-to-text": "image to work on is missing", "automatic-speech-recognition": "audio to work on is missing", "video-classification": "video to work on is missing",
		"zero-shot-object-detection": "what to find", "visual-question-answering": "question is missing", "summarization": "text to work on is missing",
		"text-generation": "does not say what the model should do",
	} {
		_, err := b.Run(t.Context(), candidate(run), call(t, plan.Text, nil))
		blames(t, err, false, sentence)
	}
	_, err := b.Run(t.Context(), candidate("text-to-image+edge"), call(t, plan.Image, args{"prompt": text("a house")}))
	blames(t, err, false, "is missing")
}

// TestSeveralSounds checks that all sounds of an answer are kept, with their labels.
func TestSeveralSounds(t *testing.T) {
	t.Parallel()
	sound := base64.StdEncoding.EncodeToString(mediatest.Tone("hello", time.Second/10))
	b := answering(t, "audio-to-audio", `[{"label":"voice","blob":"`+sound+`","content-type":"audio/wav"},{"label":"music","blob":"`+sound+`","content-type":"audio/wav"}]`)
	c := call(t, plan.Audio, args{"audio": fileWith(t, plan.Audio, "a.wav", mediatest.Tone("hello", time.Second/10))})
	out := must(t, b, candidate("audio-to-audio"), c)
	if len(out.More) != 1 || out.About.String() != "voice" || out.More[0].About.String() != "music" {
		t.Errorf("made %+v", out)
	}
	promised(t, plan.Audio, c.Dir, out)
	silent := answering(t, "automatic-speech-recognition", `{"text":" "}`)
	_, err := silent.Run(t.Context(), candidate("automatic-speech-recognition"), call(t, plan.Text, c.Args))
	blames(t, err, false, "I heard no speech")
	picture := answering(t, "text-to-speech", `{"audio":"`+base64.StdEncoding.EncodeToString(mediatest.PNG(plain(4, 4, red)))+`"}`)
	_, err = picture.Run(t.Context(), candidate("text-to-speech"), call(t, plan.Audio, args{"text": text("hello")}))
	blames(t, err, true, "cannot be read")
}

// TestDrawing checks that a drawing has the requested shape, and that the server gets the negative prompt.
func TestDrawing(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	c := call(t, plan.Image, args{"prompt": text("a fox")})
	c.Params = map[string]param.Value{}
	for p, said := range map[*param.Param]string{{Name: "shape", Type: param.Aspect}: "16:9", {Name: "without", Type: param.Text}: "people, text"} {
		c.Params[p.Name] = settingOf(t, *p, said)
	}
	out := must(t, b, candidate("text-to-image"), c)
	p, err := media.ReadPicture(t.Context(), out.Path, media.Limits{})
	if err != nil || p.Info.Width != 1344 || p.Info.Height != 756 || out.Seed != 7 {
		t.Errorf("made %+v, %+v, %v", out, p.Info, err)
	}
	if told := fmt.Sprint(server.Asked("text-to-image")[0].Parameters); told != "map[height:768 negative_prompt:people, text seed:7 width:1344]" {
		t.Errorf("asked %s", told)
	}
}

// TestMadeFromWords checks that a video of a picture, and music, are asked for with the settings of the tool, and that the
// seed is told.
func TestMadeFromWords(t *testing.T) {
	t.Parallel()
	server, b := serve(t)
	moved := call(t, plan.Video, args{"image": fileWith(t, plan.Image, "photo.png", mediatest.PNG(scene(120, 90)))})
	without := param.Param{Name: toolbox.WithoutParam, Type: param.Text}
	moved.Params = map[string]param.Value{without.Name: settingOf(t, without, "people, text")}
	if out := must(t, b, candidate("image-to-video"), moved); out.Seed != 7 {
		t.Errorf("made from the seed %d", out.Seed)
	}
	if told := fmt.Sprint(server.Asked("image-to-video")[0].Parameters); told != "map[negative_prompt:people, text seed:7]" {
		t.Errorf("asked %s", told)
	}
	for i, c := range []struct{ prompt, told string }{
		{"calm piano", "map[seed:7]"},
		{"ten seconds of calm piano", "map[duration:10 seed:7]"},
		{"calm piano, 1:30 long", "map[duration:90 seed:7]"},
		{"30s of calm piano", "map[duration:30 seed:7]"},
		{"80s synthwave", "map[seed:7]"},
		{"20 seconds of piano and 10 seconds of drums", "map[seed:7]"},
	} {
		if out := must(t, b, candidate("text-to-audio"), call(t, plan.Audio, args{"prompt": text(c.prompt)})); out.Seed != 7 {
			t.Errorf("%s: made from the seed %d", c.prompt, out.Seed)
		}
		if told := fmt.Sprint(server.Asked("text-to-audio")[i].Parameters); told != c.told {
			t.Errorf("%s: asked %s, want %s", c.prompt, told, c.told)
		}
	}
}

// TestDrawingInSize checks that a drawing has exactly the requested size, whatever sizes the model makes.
func TestDrawingInSize(t *testing.T) {
	t.Parallel()
	for size, told := range map[image.Point]string{
		image.Pt(500, 300):   "map[height:400 seed:7 width:664]", // the nearest that a model draws well
		image.Pt(1024, 768):  "map[height:768 seed:7 width:1024]",
		image.Pt(4096, 4096): "map[height:2048 seed:7 width:2048]",
	} {
		server, b := serve(t)
		c := call(t, plan.Image, args{"prompt": text("a fox")})
		c.Params = map[string]param.Value{"size": settingOf(t, param.Param{Name: "size", Type: param.Size, Unit: "px"}, fmt.Sprintf("%dx%d", size.X, size.Y))}
		out := must(t, b, candidate("text-to-image"), c)
		p, err := media.ReadPicture(t.Context(), out.Path, media.Limits{})
		if err != nil || p.Info.Width != size.X || p.Info.Height != size.Y {
			t.Errorf("%v: made %+v, %v", size, p.Info, err)
		}
		if got := fmt.Sprint(server.Asked("text-to-image")[0].Parameters); got != told {
			t.Errorf("%v: asked %s", size, got)
		}
	}
}

// settingOf returns the value of a parameter.
func settingOf(t *testing.T, p param.Param, said string) param.Value {
	t.Helper()
	v, err := p.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
