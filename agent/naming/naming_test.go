package naming_test

import (
	"context"
	"strings"
	"testing"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// liveness is what a workshop with these candidates can do.
func liveness(t *testing.T, c *toolbox.Catalogue, live map[string][]plan.Candidate) *toolbox.Liveness {
	t.Helper()
	box, err := toolbox.New(toolbox.Config{Catalogue: c, Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) {
		return toolboxtest.Published(c, live), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := box.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func names(t *testing.T) *naming.Names {
	t.Helper()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return naming.New(c).At(liveness(t, c, map[string][]plan.Candidate{
		"text_to_image": {
			{Name: "farm:text-to-image@house/dream-xl", Kind: "hftask", Run: "text-to-image", Server: "farm", Model: "house/dream-xl"},
		},
	}))
}

func TestIn(t *testing.T) {
	t.Parallel()
	n := names(t)
	for _, c := range []struct{ wish, bare, named string }{
		// what is named, and what is left
		{"draw a castle with SDXL", "draw a castle", "SDXL"},
		{"draw a castle with sdxl.", "draw a castle.", "sdxl"},
		{"Draw a castle with Stable Diffusion XL, please", "Draw a castle, please", "Stable Diffusion XL"},
		{"draw a castle using the model FLUX.2-klein and then make it a cartoon", "draw a castle and then make it a cartoon", "FLUX.2-klein"},
		{"draw a castle with flux", "draw a castle", "flux"},
		{"use flux to draw a castle", "draw a castle", "flux"},
		{"Could you use Flux to draw a castle?", "Could you draw a castle?", "Flux"},
		{"use flux and draw a castle", "draw a castle", "flux"},
		{"draw a castle, use flux", "draw a castle", "flux"},
		{"draw a castle and use flux", "draw a castle", "flux"},
		{"Draw a castle. Use flux.", "Draw a castle.", "flux"},
		{"Let SDXL draw a castle", "draw a castle", "SDXL"},
		{"draw a castle (SDXL)", "draw a castle", "SDXL"},
		{"draw with SDXL a castle by the sea", "draw a castle by the sea", "SDXL"},
		{"transcribe talk.mp3 with whisper large", "transcribe talk.mp3", "whisper large"},
		{"transcribe talk.mp3 with whisper-large-v3-turbo", "transcribe talk.mp3", "whisper-large-v3-turbo"},
		{"read it aloud by espeak", "read it aloud", "espeak"},
		{"read the text aloud with espeak-ng in German", "read the text aloud in German", "espeak-ng"},
		{"read the text aloud with Kokoro and then transcribe talk.mp3 by Whisper", "read the text aloud and then transcribe talk.mp3", "Kokoro Whisper"},
		{"用flux画一座城堡", "画一座城堡", "flux"},
		{"draw a castle with SDXL and a dog with flux", "draw a castle and a dog", "SDXL flux"},
		{"draw a castle with dream-xl", "draw a castle", "dream-xl"},
		{"draw a castle on the tool server", "draw a castle", "tool server"},
		{"draw a castle with OpenAI", "draw a castle", "OpenAI"},
		{"draw a castle with Midjourney", "draw a castle", "Midjourney"},
		{"用SDXL画一座城堡", "画一座城堡", "SDXL"},
		{"请使用 FLUX.2 模型画一座城堡", "画一座城堡", "FLUX.2"},
		{"zeichne ein Schloss mit SDXL", "zeichne ein Schloss", "SDXL"},
		{"Draw a castle and read a poem about rain aloud. Use flux for the castle and Kokoro for the poem.", "Draw a castle and read a poem about rain aloud.", "flux Kokoro"},
		{"read it aloud with Kokoro in German", "read it aloud in German", "Kokoro"},
		{"draw a castle with flux in the style of Monet", "draw a castle in the style of Monet", "flux"},
		{"transcribe the talk with the Parakeet model", "transcribe the talk", "Parakeet"},
		{"text to speech with bark: hello", "text to speech: hello", "bark"},
		{"replace the car with a bus using FLUX.2-klein", "replace the car with a bus", "FLUX.2-klein"},
		// several for the same
		{"draw a castle with SDXL and one with flux", "draw a castle", "SDXL flux"},
		{"draw a castle with SDXL and with flux", "draw a castle", "SDXL flux"},
		{"draw a castle with SDXL and flux", "draw a castle", "SDXL flux"},
		{"draw a castle with SDXL or flux and describe it", "draw a castle and describe it", "SDXL flux"},
		{"draw a castle, once with SDXL and once with flux", "draw a castle", "SDXL flux"},
		{"draw a castle with SDXL, with flux and with Qwen-Image", "draw a castle", "SDXL flux Qwen-Image"},
		{"draw a castle with SDXL. Then draw a castle with flux.", "draw a castle. Then draw a castle.", "SDXL flux"},
		{"draw a castle with SDXL and bark", "draw a castle and bark", "SDXL"},
		// what only looks like a name
		{"draw a cat with a donut on the table", "draw a cat with a donut on the table", ""},
		{"draw a cat with donut on the table", "draw a cat with donut on the table", ""},
		{"draw a stone wall with an ideogram", "draw a stone wall with an ideogram", ""},
		{"what is wrong with a donut in the picture?", "what is wrong with a donut in the picture?", ""},
		{"make a video of a girl with wan, pale skin", "make a video of a girl with wan, pale skin", ""},
		{"replace the car with flux", "replace the car with flux", ""},
		{"replace the word with SDXL", "replace the word with SDXL", ""},
		{"replace the logo in the picture with Midjourney", "replace the logo in the picture with Midjourney", ""},
		{"fill the sky with flux", "fill the sky with flux", ""},
		{"make a video of my friend with Sora on the beach", "make a video of my friend with Sora on the beach", ""},
		{"draw a boy with flux in the park", "draw a boy with flux in the park", ""},
		{"draw the sign made with SDXL", "draw the sign made with SDXL", ""},
		{"the picture was made with SDXL, make it blue", "the picture was made with SDXL, make it blue", ""},
		{"transcribe the talk with the parakeet", "transcribe the talk with the parakeet", ""},
		{"draw a tree with bark", "draw a tree with bark", ""},
		{"draw a girl with a whisper of a smile", "draw a girl with a whisper of a smile", ""},
		{"use the map to draw a castle", "use the map to draw a castle", ""},
		{"draw a castle with towers", "draw a castle with towers", ""},
		{`write "made with SDXL" on photo.png`, `write "made with SDXL" on photo.png`, ""},
		{"translate this: I drew it with SDXL", "translate this: I drew it with SDXL", ""},
		{"draw a castle in flux", "draw a castle in flux", ""},
		{"what is SDXL?", "what is SDXL?", ""},
		{"use SDXL", "use SDXL", "SDXL"},
		{"", "", ""},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			bare, found := n.In(c.wish)
			var named []string
			for _, m := range found {
				named = append(named, m.Name)
			}
			if got := strings.Join(named, " "); bare != c.bare || got != c.named {
				t.Errorf("%q names %q, and %q is left", c.wish, got, bare)
			}
		})
	}
}

// A name that leads to nothing, or ends in the middle, is no fault.
func FuzzIn(f *testing.F) {
	for _, seed := range []string{
		"draw a castle with SDXL", "use flux for", "use flux for the castle and kokoro for", "(SDXL", "with the", "用", "用SDXL", `with "SDXL`, "let SDXL", "and use flux", "with SDXL with flux",
	} {
		f.Add(seed)
	}
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		f.Fatal(err)
	}
	n := naming.New(c).At(&toolbox.Liveness{})
	f.Fuzz(func(t *testing.T, wish string) {
		bare, found := n.In(wish)
		if len(found) == 0 && bare != wish {
			t.Fatalf("%q names nothing and has become %q", wish, bare)
		}
		if len(bare) > len(wish) {
			t.Fatalf("%q has grown to %q", wish, bare)
		}
		for _, m := range found {
			if m.Name == "" || !strings.Contains(wish, m.Name) {
				t.Fatalf("%q names %q", wish, m.Name)
			}
		}
	})
}
