package openai

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/mediatest"
)

func TestSpeak(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("This sentence has some words in it. ", 100) // 3,600 characters
	for name, c := range map[string]struct {
		text, voice string
		audio       []byte
		calls       int
		ending      string
	}{
		"a sentence":                     {" The train leaves at nine.\n", "", mp3(3), 1, ".mp3"},
		"another voice":                  {"Hello.", "nova", mp3(3), 1, ".mp3"},
		"a long text":                    {long, "", mp3(3), 3, ".mp3"},
		"a server that answers with WAV": {"Hello.", "", mediatest.Tone("hello", time.Second/10), 1, ".wav"},
		"a long text of such a server":   {long, "", mediatest.Tone("hello", time.Second/10), 2, ".wav"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []llmtest.SpeechRequest
			b, _ := newBackend(t, llmtest.Config{Speech: func(r llmtest.SpeechRequest) llmtest.SpeechResponse {
				asked = append(asked, r)
				return llmtest.SpeechResponse{Audio: c.audio}
			}}, func(cfg *Config) { cfg.Voice = c.voice })
			call := call(t, plan.Audio, args{"text": text(c.text)})
			out := must(t, b, backing("audio-speech", "{text}"), call)
			got, err := os.ReadFile(out.Path)
			if err != nil || filepath.Ext(out.Path) != c.ending || filepath.Dir(out.Path) != call.Dir || out.Model != "gpt-4o-mini-tts" {
				t.Fatalf("got %+v, %v", out, err)
			}
			times := c.calls
			if c.ending == ".wav" {
				times = 1
			}
			if !bytes.Equal(got, bytes.Repeat(c.audio, times)) {
				t.Errorf("%d bytes of sound", len(got))
			}
			if len(asked) != c.calls {
				t.Fatalf("%d calls", len(asked))
			}
			var said []string
			for _, r := range asked {
				said = append(said, r.Input)
				want := c.voice
				if want == "" {
					want = "alloy"
				}
				if r.Voice != want || r.Model != "gpt-4o-mini-tts" {
					t.Errorf("asked %s with %s", r.Model, r.Voice)
				}
			}
			if c.ending == ".wav" {
				said = said[len(said)-1:]
			}
			if got := strings.Join(said, " "); got != strings.TrimSpace(c.text) {
				t.Errorf("spoken %q", got)
			}
		})
	}
}

func TestSpeakFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		response llmtest.SpeechResponse
		want     string
	}{
		"no text":            {" \n", llmtest.SpeechResponse{}, "no text to read aloud"},
		"far too long":       {strings.Repeat("word ", 10_000), llmtest.SpeechResponse{}, "the limit is about 30000"},
		"no sound":           {"x", llmtest.SpeechResponse{}, "sent no sound."},
		"no sound but words": {"x", llmtest.SpeechResponse{Audio: []byte("I cannot say that.")}, "no playable sound"},
		"a picture":          {"x", llmtest.SpeechResponse{Audio: mediatest.PNG(plain(4, 4, red))}, "no playable sound"},
		"unknown":            {"x", llmtest.SpeechResponse{Fault: llmtest.Fault{Status: 404}}, "OPENAI_SPEECH_MODEL"},
		"the key is refused": {"x", llmtest.SpeechResponse{Fault: llmtest.Fault{Status: 401}}, "refused the key"},
		"too often":          {"x", llmtest.SpeechResponse{Fault: llmtest.Fault{Status: 429}}, "too many requests"},
		"broken off":         {"x", llmtest.SpeechResponse{Fault: llmtest.Fault{Reset: true}, Audio: mp3(20)}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Speech: func(llmtest.SpeechRequest) llmtest.SpeechResponse { return c.response }})
			_, err := b.Run(t.Context(), backing("audio-speech", "{text}"), call(t, plan.Audio, args{"text": text(c.text)}))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSpokenParts(t *testing.T) {
	t.Parallel()
	sentence := strings.Repeat("x", 99) + ". "
	for name, c := range map[string]struct {
		text string
		want []int // characters of the parts
	}{
		"nothing":            {" \n ", nil},
		"as much as fits":    {strings.Repeat("x", 1500), []int{1500}},
		"one more":           {strings.Repeat("x", 1501), []int{1500, 1}},
		"by sentences":       {strings.Repeat(sentence, 20), []int{14*101 - 1, 6*101 - 1}},
		"by words":           {strings.Repeat("four ", 400), []int{1499, 499}},
		"by lines":           {strings.Repeat("x", 1000) + "\n" + strings.Repeat("y", 1000), []int{1000, 1000}},
		"Chinese sentences":  {strings.Repeat(strings.Repeat("字", 99)+"。", 20), []int{1400, 600}},
		"letters of 4 bytes": {strings.Repeat("𝄞", 1600), []int{1500, 100}},
	} {
		var got []int
		for _, part := range spokenParts(c.text) {
			got = append(got, utf8.RuneCountInString(part))
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file   string
		sound  []byte
		prompt string
		want   string
	}{
		"MP3":          {"my secret.mp3", mp3(4), "", "recording.mp3"},
		"WAV":          {"voice.wav", mediatest.Tone("hello", time.Second/10), "", "recording.wav"},
		"with a hint":  {"voice.wav", mediatest.Tone("hello", time.Second/10), "It is about ships.", "recording.wav"},
		"by its bytes": {"voice", mp3(4), "", "recording.mp3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked llmtest.TranscribeRequest
			b, _ := newBackend(t, llmtest.Config{Transcribe: func(r llmtest.TranscribeRequest) llmtest.TranscribeResponse {
				asked = r
				return llmtest.TranscribeResponse{Text: " Good evening.\n"}
			}})
			out := must(t, b, backing("audio-transcriptions", c.prompt), call(t, plan.Text, args{"audio": file(t, plan.Audio, c.file, c.sound)}))
			if out.Value != "Good evening." || out.Model != "whisper-1" {
				t.Errorf("got %+v", out)
			}
			if asked.Name != c.want || !bytes.Equal(asked.Audio, c.sound) || asked.Prompt != c.prompt || asked.Model != "whisper-1" {
				t.Errorf("asked %s, %d bytes, %q", asked.Name, len(asked.Audio), asked.Prompt)
			}
		})
	}
}

func TestTranscribeFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file     string
		sound    []byte
		response llmtest.TranscribeResponse
		want     string
	}{
		"silence":            {"a.mp3", mp3(3), llmtest.TranscribeResponse{Text: " \n"}, "I heard no speech"},
		"a tune of notes":    {"a.mid", []byte("MThd\x00\x00\x00\x06\x00\x00\x00\x01\x00\x60MTrk"), llmtest.TranscribeResponse{}, "cannot transcribe a recording"},
		"no sound":           {"a.mp3", []byte("hello"), llmtest.TranscribeResponse{}, "does not match its file extension"},
		"an empty file":      {"a.mp3", nil, llmtest.TranscribeResponse{}, "is empty"},
		"unknown":            {"a.mp3", mp3(3), llmtest.TranscribeResponse{Fault: llmtest.Fault{Status: 404}}, "OPENAI_TRANSCRIPTION_MODEL"},
		"the key is refused": {"a.mp3", mp3(3), llmtest.TranscribeResponse{Fault: llmtest.Fault{Status: 401}}, "refused the key"},
		"too often":          {"a.mp3", mp3(3), llmtest.TranscribeResponse{Fault: llmtest.Fault{Status: 429}}, "too many requests"},
		"no JSON":            {"a.mp3", mp3(3), llmtest.TranscribeResponse{Fault: llmtest.Fault{Raw: "hm"}}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Transcribe: func(llmtest.TranscribeRequest) llmtest.TranscribeResponse { return c.response }})
			_, err := b.Run(t.Context(), backing("audio-transcriptions", ""), call(t, plan.Text, args{"audio": file(t, plan.Audio, c.file, c.sound)}))
			if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestLargeRecordingIsNotSent(t *testing.T) {
	t.Parallel()
	b := newBackendAt(t, cloud(t, nil), func(c *Config) { c.AllowMedia = true })
	large := append(mp3(4), make([]byte, maxRecording)...)
	_, err := b.Run(t.Context(), backing("audio-transcriptions", ""), call(t, plan.Text, args{"audio": file(t, plan.Audio, "a.mp3", large)}))
	if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "the model server accepts at most 26214400 bytes") {
		t.Errorf("got %v", err)
	}
	_, err = b.Run(t.Context(), backing("audio-transcriptions", ""), call(t, plan.Text, args{"text": text("x")}))
	if got := plan.OperatorSentence(err, plan.Message{}).String(); !strings.Contains(got, "audio to work on is missing") {
		t.Errorf("got %v", err)
	}
}

// band is a Player. It complains about tunes that lack a text.
type band struct {
	missing error
	played  []string
	without string // the required text
}

func (b *band) Ready() error { return b.missing }

func (b *band) Play(_ context.Context, c toolbox.Call, tune string) (toolbox.Output, string, error) {
	b.played = append(b.played, tune)
	if !strings.Contains(tune, b.without) {
		return toolbox.Output{}, "the tune has no " + b.without, nil
	}
	path := filepath.Join(c.Dir, "music.mp3")
	return toolbox.Output{Path: path}, "", os.WriteFile(path, mp3(4), 0o600)
}

const tune = "X:1\nT:Rain\nM:4/4\nL:1/8\nK:C\nCDEF GABc|\n"

// TestCompose checks that the model's tune is played, and that the model is asked again if it cannot be played.
func TestCompose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []string
		without string // the text that the band requires
		played  string
		told    string // in the second request to the model
		fails   string
	}{
		"a tune":                      {answers: []string{tune}, played: tune},
		"in a block, with a remark":   {answers: []string{"Here you are:\n```abc\n" + tune + "```\nEnjoy!"}, played: tune},
		"no tune at first":            {answers: []string{"la la la", tune}, played: tune, told: "no line that begins with X:"},
		"no key at first":             {answers: []string{"X:1\nCDEF|", tune}, played: tune, told: "no line that begins with K:"},
		"one that cannot be played":   {answers: []string{tune, tune + "c8|\n"}, without: "c8", played: tune + "c8|\n", told: "the tune has no c8"},
		"none that can be played":     {answers: []string{tune, tune}, without: "c8", fails: "not in the right form"},
		"one that is much too long":   {answers: []string{tune + strings.Repeat("CDEF GABc|\n", 4000), tune}, played: tune, told: "too long"},
		"an order to do other things": {answers: []string{"I will not.", "No."}, fails: "not in the right form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			players := &band{without: c.without}
			var told []string
			b, _ := newBackend(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				told = append(told, r.System()+r.User())
				return llmtest.Response{Text: c.answers[len(told)-1]}
			}}, func(config *Config) { config.Player = players })
			out, err := b.Run(t.Context(), backing("chat-music", "Compose {prompt}."), call(t, plan.Audio, args{"prompt": text("rain")}))
			if c.fails != "" {
				if f, ok := errors.AsType[*plan.Fault](err); !ok || !strings.Contains(f.Sentence.String(), c.fails) {
					t.Fatalf("it fails with %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := players.played[len(players.played)-1]; got != c.played || filepath.Base(out.Path) != "music.mp3" || out.Usage.Calls != len(c.answers) {
				t.Errorf("played %q, output %+v", got, out)
			}
			if !strings.Contains(told[0], "Compose") || !strings.Contains(told[len(told)-1], c.told) {
				t.Errorf("the model was told %q", told)
			}
		})
	}
}

// TestComposeWithoutPlayer checks that the tool cannot run if the programs are missing.
func TestComposeWithoutPlayer(t *testing.T) {
	t.Parallel()
	for name, player := range map[string]Player{
		"no player":   nil,
		"no programs": &band{missing: errors.New("no fluidsynth")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Models: []string{"talker"}}, func(c *Config) { c.Player = player })
			if err := b.Probe(t.Context(), backing("chat-music", "Compose {prompt}.")); err == nil {
				t.Error("it counts as live")
			}
		})
	}
}
