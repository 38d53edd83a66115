package family

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/endpoint"
)

// now is the day of these tests.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// models returns a list of these names. The last day of one that ends follows an @.
func models(names ...string) []endpoint.Model {
	var all []endpoint.Model
	for _, name := range names {
		name, day, ends := strings.Cut(name, "@")
		m := endpoint.Model{Name: name}
		if ends {
			m.Ends, _ = time.Parse(time.DateOnly, day) //nolint:errcheck // the tests write days
		}
		all = append(all, m)
	}
	return all
}

func read(t *testing.T) *Families {
	t.Helper()
	f, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// openAI holds some of the models that OpenAI listed in November 2026, in a different order.
var openAI = models(
	"gpt-4o@2027-01-14", "gpt-4o-mini@2027-01-14", "gpt-5-mini@2026-12-11", "gpt-5-mini-2025-08-07@2026-12-11", "gpt-5.6-terra", "gpt-6-astra",
	"gpt-6-luna", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6.1-terra-2026-10-26", "gpt-audio-mini", "gpt-realtime-2.1-mini", "gpt-image-1@2026-10-23",
	"gpt-image-1-mini@2026-12-01", "gpt-image-1.5@2026-12-01", "gpt-image-2.5-flare", "gpt-image-2.6-flare", "gpt-image-2.6-sunburst", "gpt-live-transcribe",
	"gpt-transcribe", "gpt-4o-transcribe@2027-02-26", "whisper-1@2027-02-26", "gpt-4o-mini-tts@2027-01-06", "gpt-4o-mini-tts-2025-12-15@2027-01-06",
	"tts-1@2027-01-06", "tts-1-hd@2027-01-06", "text-embedding-3-small", "omni-moderation-latest",
)

// TestFirstChoice checks the choice from each kind of list, for each role.
func TestFirstChoice(t *testing.T) {
	t.Parallel()
	many := models("gpt-6.1-terra")
	for i := range 5000 {
		many = append(many, endpoint.Model{Name: fmt.Sprintf("org-%d/model-%d", i, i)})
	}
	for name, c := range map[string]struct {
		listed                             []endpoint.Model
		chat, image, speech, transcription string
	}{
		"OpenAI":                  {openAI, "gpt-6.1-terra", "gpt-image-2.6-flare", "gpt-4o-mini-tts", "gpt-transcribe"},
		"no list":                 {nil, "gpt-6.1-terra", "gpt-image-2.6-flare", "gpt-4o-mini-tts", "gpt-transcribe"},
		"an empty list":           {models(), "gpt-6.1-terra", "gpt-image-2.6-flare", "gpt-4o-mini-tts", "gpt-transcribe"},
		"a later version":         {models("gpt-6.1-terra", "gpt-6.10-terra", "gpt-6.9-terra", "gpt-image-3-flare"), "gpt-6.10-terra", "gpt-image-3-flare", "", ""},
		"dates alone":             {models("gpt-7-terra-2027-01-01", "gpt-7-terra-2027-05-01"), "gpt-7-terra-2027-05-01", "", "", ""},
		"a date and none":         {models("gpt-7-terra-2027-01-01", "gpt-7-terra"), "gpt-7-terra", "", "", ""},
		"ended":                   {models("gpt-6.1-terra@2026-11-22", "gpt-6-luna", "gpt-image-1@2026-10-23"), "gpt-6-luna", "", "", ""},
		"ends tomorrow":           {models("gpt-6.1-terra@2026-11-23", "gpt-6-luna"), "gpt-6.1-terra", "", "", ""},
		"5,000 models":            {many, "gpt-6.1-terra", "", "", ""},
		"5,000 models, none ours": {many[1:], "", "", "", ""},
		"vLLM":                    {models("Qwen/Qwen3-VL-8B-Instruct"), "Qwen/Qwen3-VL-8B-Instruct", "", "", ""},
		"Ollama":                  {models("qwen3-vl:8b", "llama3.2:latest"), "", "", "", ""},
		"Ollama with embeddings":  {models("nomic-embed-text:latest", "qwen3-vl:8b"), "qwen3-vl:8b", "", "", ""},
		"llama.cpp":               {models("/models/qwen3-8b-q4.gguf"), "/models/qwen3-8b-q4.gguf", "", "", ""},
		"LocalAI": {models("gpt-4", "gpt-4o", "stablediffusion", "tts-1", "whisper-1", "text-embedding-ada-002", "jina-reranker-v1-base-en"),
			"gpt-4o", "", "tts-1", "whisper-1"},
		"a server of voices":    {models("Systran/faster-whisper-large-v3", "speaches-ai/Kokoro-82M-v1.0-ONNX"), "", "", "", ""},
		"a model named Wanda":   {models("wanda-7b"), "wanda-7b", "", "", ""},
		"a server of one image": {models("black-forest-labs/FLUX.1-schnell"), "", "", "", ""},
	} {
		for role, want := range map[Role]string{Chat: c.chat, Image: c.image, Speech: c.speech, Transcription: c.transcription} {
			got := append(read(t).Of(role, c.listed, now), "")
			if got[0] != want || len(got) > most+1 {
				t.Errorf("%s: for %s %q is asked, want %q", name, role, got, want)
			}
		}
	}
}

// TestFamilyOrder checks that families keep the order of the file, and versions go from high to low.
func TestFamilyOrder(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role][]string{
		Chat:          {"gpt-6.1-terra", "gpt-6.1-terra-2026-10-26", "gpt-5.6-terra", "gpt-6-luna", "gpt-6.1-sol"},
		Image:         {"gpt-image-2.6-flare", "gpt-image-2.5-flare", "gpt-image-2.6-sunburst", "gpt-image-1.5", "gpt-image-1-mini"},
		Speech:        {"gpt-4o-mini-tts", "gpt-4o-mini-tts-2025-12-15", "tts-1"},
		Transcription: {"gpt-transcribe", "gpt-4o-transcribe", "whisper-1"},
	} {
		if got := read(t).Of(role, openAI, now); !slices.Equal(got, want) {
			t.Errorf("%s: %q", role, got)
		}
	}
}

// TestInvalidFile checks that it is rejected with what is wrong.
func TestInvalidFile(t *testing.T) {
	t.Parallel()
	const rest = "\nimage: [a]\nspeech: [a]\ntranscription: [a]\n"
	for file, want := range map[string]string{
		"":                         "EOF",
		"chat: [gpt-*]" + rest:     "chat needs a name without a *",
		"chat: [a, '']" + rest:     "line 1",
		"talk: [a]":                "talk not found",
		"chat: {a: b}" + rest:      "cannot unmarshal",
		"chat: [a]\nimage: [b]\n":  "needs a name without a *",
		"chat: [a" + rest + "\x00": "control characters",
	} {
		if _, err := parse([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	for want, listed := range map[string][]endpoint.Model{
		"": models("<b>", "a\nb"), "a, d, e, f, g": models("a", "b\nc", "d", "e", "f", "g", "h"),
	} {
		if got := Examples(listed); got != want {
			t.Errorf("%q", got)
		}
	}
}
