package toolbox_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox"
)

// called returns a tool file with that backend.
func called(backend, returns string) string {
	return `name: draw_sticker
description: Draws a sticker.
when: For stickers.
examples: [draw a sticker, make a sticker, a sticker please]
domain: image-editing
origins: [own]
args:
  - {name: image, type: image, about: a picture}
  - {name: extra, type: image, about: another picture, optional: true}
  - {name: text, type: text, meaning: content, about: the words}
params:
  - {name: style, type: choice, about: the style, optional: true, choices: {plain: [plain], fancy: [fancy]}}
  - {name: width, type: integer, about: how wide, optional: true, default: "5", min: 1, max: 9}
returns: ` + returns + "\nbackends:\n  - " + backend + "\n"
}

func TestReadRequest(t *testing.T) {
	t.Parallel()
	for backend, want := range map[string]string{
		`{kind: http, request: {url: "https://h/x/{width}/{text}", json: {p: "{image}", e: "{extra}", s: "{style}", w: "{2 * image.width}"}}}`: "",
		`{kind: http}`: "has no request",
		`{kind: native, run: x, device: cpu, request: {url: "https://h/"}}`:                                     "only the kind http may have",
		`{kind: http, request: {url: "https://h/"}, argv: [x, "{out:png}"]}`:                                    "only the kind command may have argv",
		`{kind: http, request: {url: "https://h/", json: {a: "{colour}"}}}`:                                     "json a: there is no {colour}",
		`{kind: http, request: {url: "https://h/{style}"}}`:                                                     "url: style is optional and may be absent",
		`{kind: http, request: {url: "https://h/{max(extra.width, 1)}"}}`:                                       "url: extra is optional and may be absent",
		`{kind: http, request: {url: "https://{text}/"}}`:                                                       "must not contain slots",
		`{kind: http, request: {url: "https://h/", jsn: {}}}`:                                                   "jsn: is not a request field",
		`{kind: http, request: {url: "https://h/", token: sk-1234567890}}`:                                      "name of the variable",
		`{kind: http, request: {url: "https://h/"}} ` + "\n  - " + `{kind: http, request: {url: "https://i/"}}`: "is listed twice",
	} {
		tool, err := toolbox.ReadTool([]byte(called(backend, "image")))
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sk-1234567890")):
			t.Errorf("%s: %v, want %q", backend, err, want)
		case want == "" && err != nil:
			t.Errorf("%s: %v", backend, err)
		case want == "":
			if b := tool.Backends[0]; b.Run != "draw_sticker" || b.Device != "cpu" || b.Needs != "the service at h" || b.Inputs != "image" {
				t.Errorf("%s is completed as %+v", backend, b)
			}
		}
	}
	if _, err := toolbox.ReadTool([]byte(called(`{kind: http, request: {url: "https://h/"}}`, "mask"))); err == nil || !strings.Contains(err.Error(), "not mask") {
		t.Errorf("a mask: %v", err)
	}
}

// TestServicesAreServers: each service runs only the tools that call it.
func TestServicesAreServers(t *testing.T) {
	t.Parallel()
	var tools []toolbox.Tool
	for name, base := range map[string]string{"draw_a": "https://a", "draw_b": "https://b", "draw_b_too": "https://B:443", "draw_c": "https://c"} {
		tool, err := toolbox.ReadTool([]byte(strings.Replace(called(`{kind: http, request: {url: "`+base+`/x"}}`, "image"), "draw_sticker", name, 1)))
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	c := toolbox.NewCatalogue(tools)
	if got := c.Services(); !slices.Equal(got, []string{"https://a", "https://b", "https://c"}) {
		t.Errorf("the services are %q", got)
	}
	server := func(name, base string) toolbox.Server {
		return toolbox.Server{Name: name, Kind: "http", Base: base, Backend: fake{}}
	}
	box := newToolbox(t, toolbox.Config{
		Servers: []toolbox.Server{server("a", "https://a"), server("b", "https://b")}, Ways: map[string][]toolbox.Way{"draw_b_too": {{Server: "b"}}},
	}, tools...)
	live, err := box.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string][]string{"draw_a": {"a:draw_a"}, "draw_b": {"b:draw_b"}, "draw_b_too": {"b:draw_b_too"}, "draw_c": nil} {
		s, _ := live.Status(tool)
		var got []string
		for _, c := range s.Candidates {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s runs on %q, want %q", tool, got, want)
		}
	}
	_, err = toolbox.New(toolbox.Config{
		Catalogue: c, Servers: []toolbox.Server{server("a", "https://a"), server("b", "https://b")}, Ways: map[string][]toolbox.Way{"draw_a": {{Server: "b"}}},
	})
	if err == nil || !strings.Contains(err.Error(), "draw_a cannot run on") {
		t.Errorf("a tool on another service: %v", err)
	}
}
