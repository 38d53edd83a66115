package openai

import (
	"fmt"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/mediatest"
	"atelier/agent/toolbox/param"
)

var (
	red  = color.NRGBA{200, 0, 0, 255}
	blue = color.NRGBA{0, 0, 200, 255}
)

// drawn returns a server that answers every request with one picture, and records the requests.
func drawn(file []byte) (*[]llmtest.ImageRequest, func(llmtest.ImageRequest) llmtest.ImageResponse) {
	var all []llmtest.ImageRequest
	return &all, func(r llmtest.ImageRequest) llmtest.ImageResponse {
		all = append(all, r)
		return llmtest.ImageResponse{Images: [][]byte{file}}
	}
}

// open decodes the picture of an output.
func open(t *testing.T, out toolbox.Output) media.Picture {
	t.Helper()
	p, err := media.ReadPicture(t.Context(), out.Path, media.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDraw(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{"gpt-image-1": "", "openai/gpt-image-2": "", "dall-e-3": "b64_json", "flux": "b64_json"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			asked, image := drawn(mediatest.PNG(plain(64, 48, red)))
			b, _ := newBackend(t, llmtest.Config{Image: image}, func(c *Config) { c.Image = model })
			c := call(t, plan.Image, args{"prompt": text("a fox in a spacesuit")})
			out := must(t, b, backing("images-generations", "{prompt}"), c)
			p := open(t, out)
			if p.Info.MIME != "image/png" || p.Info.Width != 64 || p.Image.NRGBAAt(5, 5) != red || out.Model != model || out.About.String() != "a fox in a spacesuit" {
				t.Errorf("got %+v, %+v", out, p.Info)
			}
			r := (*asked)[0]
			if r.Edit || r.Model != model || r.Prompt != "a fox in a spacesuit" || r.ResponseFormat != want {
				t.Errorf("asked %+v", r)
			}
			if left, err := os.ReadDir(c.Dir); err != nil || len(left) != 1 {
				t.Errorf("remaining files: %v, %v", left, err)
			}
		})
	}
}

// TestDrawShape checks that the nearest size is requested, and cropped at the centre.
func TestDrawShape(t *testing.T) {
	t.Parallel()
	asked, image := drawn(mediatest.PNG(plain(96, 64, red)))
	b, _ := newBackend(t, llmtest.Config{Image: image})
	c := call(t, plan.Image, args{"prompt": text("a fox")})
	c.Params = map[string]param.Value{}
	for p, said := range map[*param.Param]string{{Name: "shape", Type: param.Aspect}: "16:9", {Name: "without", Type: param.Text}: "people,\ntext"} {
		v, err := p.Read(said)
		if err != nil {
			t.Fatal(err)
		}
		c.Params[p.Name] = v
	}
	out := must(t, b, backing("images-generations", "{prompt}"), c)
	if size := open(t, out).Image.Rect.Size(); size.X != 96 || size.Y != 54 || out.About.String() != "a fox" {
		t.Errorf("got %v, %+v", size, out)
	}
	if r := (*asked)[0]; r.Size != "96x64" || r.Prompt != "a fox\nLeave out: people, text." {
		t.Errorf("asked %+v", r)
	}
}

func TestDrawFaults(t *testing.T) {
	t.Parallel()
	good := mediatest.PNG(plain(8, 8, red))
	for name, c := range map[string]struct {
		prompt   string
		response llmtest.ImageResponse
		want     string
	}{
		"no prompt":       {" \n", llmtest.ImageResponse{Images: [][]byte{good}}, "Please say what"},
		"no picture":      {"x", llmtest.ImageResponse{}, "made no picture"},
		"an empty one":    {"x", llmtest.ImageResponse{Images: [][]byte{{}}}, "cannot be read"},
		"something else":  {"x", llmtest.ImageResponse{Images: [][]byte{[]byte("<html>")}}, "cannot be read"},
		"a broken one":    {"x", llmtest.ImageResponse{Images: [][]byte{good[:40]}}, "cannot be read"},
		"declined":        {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400, ErrorCode: "moderation_blocked"}}, "declined this"},
		"unknown":         {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Status: 404}}, `no model "painter" that does this; set OPENAI_IMAGE_MODEL`},
		"the key refused": {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Status: 401}}, "refused the key"},
		"too often":       {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Status: 429}}, "too many requests"},
		"no JSON":         {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Raw: "oops"}}, "could not be read"},
		"no Base64":       {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Raw: `{"data":[{"b64_json":"!!"}]}`}}, "cannot be read"},
		"nothing in it":   {"x", llmtest.ImageResponse{Fault: llmtest.Fault{Raw: `{"data":[{}]}`}}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Image: func(llmtest.ImageRequest) llmtest.ImageResponse { return c.response }})
			_, err := b.Run(t.Context(), backing("images-generations", "{prompt}"), call(t, plan.Image, args{"prompt": text(c.prompt)}))
			if plan.Final(err) != (name == "declined") {
				t.Errorf("final is %v: %v", plan.Final(err), err)
			}
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) || strings.Contains(err.Error(), "test-key") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestEditFaults checks the faults that only edits can have.
func TestEditFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response llmtest.ImageResponse
		want     string
	}{
		"no picture": {llmtest.ImageResponse{}, "made no picture"},
		"declined":   {llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400, ErrorCode: "moderation_blocked"}}, "declined this"},
		"unknown":    {llmtest.ImageResponse{Fault: llmtest.Fault{Status: 404}}, "OPENAI_IMAGE_MODEL"},
		"no JSON":    {llmtest.ImageResponse{Fault: llmtest.Fault{Raw: "oops"}}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Image: func(llmtest.ImageRequest) llmtest.ImageResponse { return c.response }})
			a := args{"image": file(t, plan.Image, "a.png", mediatest.PNG(plain(8, 8, red)))}
			_, err := b.Run(t.Context(), backing("images-edits", "Do it."), call(t, plan.Image, a))
			if plan.Final(err) != (name == "declined") {
				t.Errorf("final is %v: %v", plan.Final(err), err)
			}
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestLinkedPictures checks that only a link to the server itself is followed.
func TestLinkedPictures(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }))
	t.Cleanup(elsewhere.Close)
	red8 := mediatest.PNG(plain(8, 8, red))
	for name, c := range map[string]struct {
		response llmtest.ImageResponse
		want     string
	}{
		"on the server":     {llmtest.ImageResponse{Images: [][]byte{red8}}, ""},
		"spelled out":       {llmtest.ImageResponse{Fault: llmtest.Fault{Raw: fmt.Sprintf(`{"data":[{"url":"data:image/png;base64,%s"}]}`, b64(red8))}}, ""},
		"elsewhere":         {llmtest.ImageResponse{Fault: llmtest.Fault{Raw: fmt.Sprintf(`{"data":[{"url":%q}]}`, elsewhere.URL+"/x.png")}}, "only a link"},
		"a file":            {llmtest.ImageResponse{Fault: llmtest.Fault{Raw: `{"data":[{"url":"file:///etc/passwd"}]}`}}, "only a link"},
		"not there anymore": {llmtest.ImageResponse{Fault: llmtest.Fault{Raw: `{"data":[{"url":"/hosted/99"}]}`}}, "only a link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Image: func(llmtest.ImageRequest) llmtest.ImageResponse { return c.response }},
				func(c *Config) { c.Image = "dall-e-3" })
			b.pictures.withoutB64JSON.Store(true) // so that the server answers with a link
			out, err := b.Run(t.Context(), backing("images-generations", "{prompt}"), call(t, plan.Image, args{"prompt": text("x")}))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if err == nil && open(t, out).Image.NRGBAAt(3, 3) != red {
				t.Error("wrong picture")
			}
		})
	}
}

// TestWithoutB64JSON checks that a server that rejects b64_json is asked without it from then on.
func TestWithoutB64JSON(t *testing.T) {
	t.Parallel()
	asked := []string{}
	b, _ := newBackend(t, llmtest.Config{Image: func(r llmtest.ImageRequest) llmtest.ImageResponse {
		asked = append(asked, r.ResponseFormat)
		if r.ResponseFormat != "" {
			return llmtest.ImageResponse{Fault: llmtest.Fault{Status: 400, ErrorMessage: "Unknown parameter: 'response_format'."}}
		}
		return llmtest.ImageResponse{Images: [][]byte{mediatest.PNG(plain(8, 8, red))}}
	}}, func(c *Config) { c.Image = "deployment" })
	for range 2 {
		must(t, b, backing("images-generations", "{prompt}"), call(t, plan.Image, args{"prompt": text("x")}))
	}
	if got := strings.Join(asked, ","); got != "b64_json,," {
		t.Errorf("asked for %q", got)
	}
}

// TestEditWithMask checks that the drawing appears only inside the mask, and that the server gets the form that it
// requires.
func TestEditWithMask(t *testing.T) {
	t.Parallel()
	// The mask covers the right half, except for its last ten rows.
	mask := media.NewMask(300, 200, 2)
	for y := range 190 {
		for x := 150; x < 300; x++ {
			mask.Index[y*300+x] = uint8(1 + y%2)
		}
	}
	maskPath := filepath.Join(t.TempDir(), "mask.png")
	if err := media.WriteMask(t.Context(), maskPath, mask); err != nil {
		t.Fatal(err)
	}
	masked := []toolbox.Value{{Resource: plan.Resource{Type: plan.Mask}, Path: maskPath}}
	given := speckled(300, 200)
	for name, c := range map[string]struct {
		model  string
		size   string
		answer image.Point
	}{
		"in the size that was asked for": {"painter", "96x64", image.Pt(96, 64)},
		"in a larger one":                {"painter", "96x64", image.Pt(960, 640)},
		"of a GPT image model":           {"gpt-image-1", "1536x1024", image.Pt(96, 64)},
		"on a square":                    {"dall-e-2", "1024x1024", image.Pt(64, 64)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, image := drawn(mediatest.PNG(plain(c.answer.X, c.answer.Y, blue)))
			b, _ := newBackend(t, llmtest.Config{Image: image}, func(cfg *Config) { cfg.Image = c.model })
			a := args{"image": file(t, plan.Image, "a.png", mediatest.PNG(given)), "mask": masked, "prompt": text("a sofa")}
			out := must(t, b, backing("images-edits", "Draw {prompt} there."), call(t, plan.Image, a))
			p := open(t, out)
			if p.Info.MIME != "image/png" || p.Info.Width != 300 || p.Info.Height != 200 || out.About.String() != "a sofa" {
				t.Fatalf("got %+v, %+v", out, p.Info)
			}
			for y := range 200 {
				for x := range 300 {
					want := given.NRGBAAt(x, y)
					if mask.At(x, y) != 0 {
						want = blue
					}
					if got := p.Image.NRGBAAt(x, y); got != want {
						t.Fatalf("(%d, %d) is %v, want %v", x, y, got, want)
					}
				}
			}
			r := (*asked)[0]
			if !r.Edit || r.Model != c.model || r.Size != c.size || r.Prompt != "Draw a sofa there." || r.Mask == nil {
				t.Fatalf("asked %+v", r)
			}
			checkSent(t, r)
		})
	}
}

// checkSent checks that the mask on the canvas is transparent over the right half, except for its last rows,
// and opaque elsewhere.
func checkSent(t *testing.T, r llmtest.ImageRequest) {
	t.Helper()
	size := r.Mask.Bounds().Size()
	w, h := size.X, size.X*200/300
	top := (size.Y - h) / 2
	for _, c := range []struct {
		x, y  float64 // position in the picture, from 0 to 1
		drawn bool
	}{{0.25, 0.5, false}, {0.49, 0.2, false}, {0.52, 0.5, true}, {0.99, 0.01, true}, {0.75, 0.94, true}, {0.75, 0.97, false}, {0.01, 0.99, false}} {
		_, _, _, alpha := r.Mask.At(int(c.x*float64(w)), top+int(c.y*float64(h))).RGBA()
		if (alpha == 0) != c.drawn || alpha != 0 && alpha != 0xFFFF {
			t.Errorf("at (%.2f, %.2f) the mask has the alpha %d", c.x, c.y, alpha)
		}
	}
	if _, _, _, alpha := r.Mask.At(w/2, size.Y-1).RGBA(); top > 2 && alpha != 0xFFFF {
		t.Error("the mask allows drawing outside the picture")
	}
}

// TestEditWithoutMask checks that the result has the picture's shape and format, and is not larger.
func TestEditWithoutMask(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given  []byte
		ending string
		answer image.Image
		want   image.Point
		mime   string
	}{
		"a small JPEG":          {mediatest.JPEG(plain(60, 20, red)), "jpg", plain(96, 64, blue), image.Pt(60, 20), "image/jpeg"},
		"a large picture":       {mediatest.PNG(plain(300, 200, red)), "png", plain(96, 64, blue), image.Pt(96, 64), "image/png"},
		"a high one":            {mediatest.PNG(plain(200, 400, red)), "png", plain(64, 96, blue), image.Pt(48, 96), "image/png"},
		"one with transparency": {mediatest.JPEG(plain(30, 20, red)), "jpg", plain(96, 64, color.NRGBA{0, 0, 200, 0}), image.Pt(30, 20), "image/png"},
		"of another shape":      {mediatest.PNG(plain(60, 40, red)), "png", plain(51, 51, blue), image.Pt(60, 40), "image/png"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, answer := drawn(mediatest.PNG(c.answer))
			b, _ := newBackend(t, llmtest.Config{Image: answer})
			out := must(t, b, backing("images-edits", "Vary it."), call(t, plan.Image, args{"image": file(t, plan.Image, "a."+c.ending, c.given)}))
			p := open(t, out)
			if got := p.Image.Rect.Size(); p.Info.MIME != c.mime || max(got.X-c.want.X, c.want.X-got.X) > 1 || max(got.Y-c.want.Y, c.want.Y-got.Y) > 1 {
				t.Errorf("got %s of %v", p.Info.MIME, got)
			}
			if !strings.HasSuffix(out.About.String(), " pixels") {
				t.Errorf("about is %q", out.About)
			}
			if r := (*asked)[0]; r.Mask != nil || r.Prompt != "Vary it." {
				t.Errorf("asked %+v", r)
			}
		})
	}
}

// TestCanvasBorder checks that the canvas around the picture repeats its edge pixels, so that the model draws no bars.
func TestCanvasBorder(t *testing.T) {
	t.Parallel()
	img := plain(100, 100, red)
	for y := range 100 {
		for x := 50; x < 100; x++ {
			img.SetNRGBA(x, y, blue)
		}
	}
	c := canvasFor(canvasSizes("gpt-image-1"), image.Pt(200, 100))
	if c.size != image.Pt(1536, 1024) || c.inside != image.Rect(0, 128, 1536, 896) {
		t.Fatalf("the canvas is %+v", c)
	}
	on, err := c.with(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[image.Point]color.NRGBA{{10, 0}: red, {10, 1023}: red, {1500, 0}: blue, {1500, 1023}: blue} {
		if got := on.NRGBAAt(p.X, p.Y); got != want {
			t.Errorf("%v is %v", p, got)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	b, server := newBackend(t, llmtest.Config{})
	good := file(t, plan.Image, "a.png", mediatest.PNG(plain(9, 9, red)))
	empty := file(t, plan.Mask, "m.png", mediatest.PNG(plain(9, 9, color.Black)))
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"no picture":    {args{"prompt": text("x")}, "is missing"},
		"an empty mask": {args{"image": good, "mask": empty}, "covers nothing"},
		"a broken mask": {args{"image": good, "mask": file(t, plan.Mask, "m.png", []byte("x"))}, "does not match its file extension"},
		"a broken one":  {args{"image": file(t, plan.Image, "a.png", mediatest.PNG(speckled(40, 40))[:300])}, "cut off or damaged"},
	} {
		_, err := b.Run(t.Context(), backing("images-edits", "Do it."), call(t, plan.Image, c.args))
		if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if n := len(server.Calls()); n > 0 {
		t.Errorf("%d calls", n)
	}
}

// TestMaskArgument checks that the mask is the argument of that name, else the one of that type; a mask alone is the
// picture.
func TestMaskArgument(t *testing.T) {
	t.Parallel()
	of := func(typ plan.Type, path string) []toolbox.Value {
		return []toolbox.Value{{Resource: plan.Resource{Type: typ}, Path: path}}
	}
	for name, c := range map[string]struct {
		args args
		want editInput
	}{
		"by name":         {args{"image": of(plan.Mask, "i"), "mask": of(plan.Mask, "m")}, editInput{"i", "m"}},
		"by type":         {args{"area": of(plan.Mask, "m"), "photo": of(plan.Image, "i")}, editInput{"i", "m"}},
		"a mask alone":    {args{"image": of(plan.Mask, "i")}, editInput{"i", ""}},
		"a picture alone": {args{"image": of(plan.Edge, "i"), "text": text("x")}, editInput{"i", ""}},
	} {
		if got, err := editInputOf(toolbox.Call{Args: c.args}); err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestOnlyTheFirstFrameIsEdited(t *testing.T) {
	t.Parallel()
	_, answer := drawn(mediatest.PNG(plain(64, 64, blue)))
	b, _ := newBackend(t, llmtest.Config{Image: answer})
	out := must(t, b, backing("images-edits", "Vary it."), call(t, plan.Image, args{"image": file(t, plan.Image, "a.gif", animation(t))}))
	if out.Note.String() == "" || open(t, out).Info.MIME != "image/png" {
		t.Errorf("got %+v", out)
	}
}

// TestEditAtAzure checks that the deployment is in the URL.
func TestEditAtAzure(t *testing.T) {
	t.Parallel()
	asked, answer := drawn(mediatest.PNG(plain(64, 64, blue)))
	server := llmtest.New(t, llmtest.Config{Image: answer})
	e, err := endpoint.New(endpoint.Config{BaseURL: server.AzureURL(), Key: "k", AzureVersion: "2025-04-01-preview", Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	must(t, newBackendAt(t, e), backing("images-edits", "Vary it."),
		call(t, plan.Image, args{"image": file(t, plan.Image, "a.png", mediatest.PNG(plain(9, 9, red)))}))
	if got := (*asked)[0].Model; got != "painter" || server.Calls()[0] != "POST /openai/deployments/painter/images/edits" {
		t.Errorf("called %s with %v", got, server.Calls())
	}
}
