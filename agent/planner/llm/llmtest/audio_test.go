package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"

	"atelier/agent/planner/llm/llmtest"
)

// wav is a sound without samples.
const wav = "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"

func TestSpeech(t *testing.T) {
	t.Parallel()
	var got []llmtest.SpeechRequest
	s := llmtest.New(t, llmtest.Config{Speech: func(r llmtest.SpeechRequest) llmtest.SpeechResponse {
		got = append(got, r)
		return llmtest.SpeechResponse{Audio: []byte(wav)}
	}})
	res, err := client(t, s.URL()).CreateSpeech(t.Context(), openai.CreateSpeechRequest{
		Model: "gpt-4o-mini-tts", Input: "Grüß dich", Voice: "verse", Instructions: "warmly", ResponseFormat: "mp3",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close() //nolint:errcheck // it is read whole
	if audio, err := io.ReadAll(res); err != nil || string(audio) != wav || res.Header().Get("Content-Type") != "audio/mpeg" {
		t.Errorf("%d bytes of %s, %v", len(audio), res.Header().Get("Content-Type"), err)
	}
	want := []llmtest.SpeechRequest{{Model: "gpt-4o-mini-tts", Input: "Grüß dich", Voice: "verse", Instructions: "warmly"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidSpeech(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Speech: func(llmtest.SpeechRequest) llmtest.SpeechResponse { return llmtest.SpeechResponse{} }})
	for name, c := range map[string]struct{ body, why string }{
		"unknown field":            {`{"model":"tts-1","input":"x","voice":"nova","language":"de"}`, "language"},
		"no model":                 {`{"input":"x","voice":"nova","response_format":"mp3"}`, "no model"},
		"no input":                 {`{"model":"tts-1","input":" ","voice":"nova","response_format":"mp3"}`, "no input"},
		"a long input":             {`{"model":"tts-1","input":"` + strings.Repeat("ü", 4097) + `","voice":"nova","response_format":"mp3"}`, "4097 characters"},
		"no voice":                 {`{"model":"kokoro","input":"x","response_format":"mp3"}`, "no voice"},
		"an unknown voice":         {`{"model":"gpt-4o-mini-tts","input":"x","voice":"af_heart","response_format":"mp3"}`, "voice"},
		"a voice of later models":  {`{"model":"tts-1-hd","input":"x","voice":"marin","response_format":"mp3"}`, "voice"},
		"instructions":             {`{"model":"tts-1","input":"x","voice":"nova","instructions":"warmly","response_format":"mp3"}`, "no instructions"},
		"an unknown format":        {`{"model":"tts-1","input":"x","voice":"nova","response_format":"ogg"}`, "response_format"},
		"a voice of another shape": {`{"model":"tts-1","input":"x","voice":7,"response_format":"mp3"}`, "voice"},
	} {
		status, _ := send(t, http.MethodPost, s.URL()+"/audio/speech", "application/json", c.body)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
	if status, _ := send(t, http.MethodPost, s.URL()+"/audio/speech", "application/json", `{"model":"kokoro","input":"x","voice":"af_heart","response_format":"mp3"}`); status != http.StatusOK {
		t.Errorf("another model's voice: %d, %q", status, w.caught())
	}
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	var got []llmtest.TranscribeRequest
	s := llmtest.New(t, llmtest.Config{Transcribe: func(r llmtest.TranscribeRequest) llmtest.TranscribeResponse {
		got = append(got, r)
		return llmtest.TranscribeResponse{Text: "hello"}
	}})
	res, err := client(t, s.URL()).CreateTranscription(t.Context(), openai.AudioRequest{Model: "whisper-1", FilePath: "a.wav", Reader: strings.NewReader(wav), Prompt: "p"})
	if err != nil || res.Text != "hello" {
		t.Fatalf("%+v, %v", res, err)
	}
	if diff := cmp.Diff([]llmtest.TranscribeRequest{{Model: "whisper-1", Prompt: "p", Name: "a.wav", Audio: []byte(wav)}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidTranscription(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Transcribe: func(llmtest.TranscribeRequest) llmtest.TranscribeResponse { return llmtest.TranscribeResponse{} }})
	file, model := part{"file", "a.wav", wav}, part{"model", "", "whisper-1"}
	for name, c := range map[string]struct {
		parts []part
		why   string
	}{
		"unknown field":               {[]part{file, model, {"task", "", "translate"}}, "'task'"},
		"no model":                    {[]part{file}, "no model"},
		"no file":                     {[]part{model}, "none of the extensions"},
		"two files":                   {[]part{file, file, model}, "occurs twice"},
		"an empty file":               {[]part{{"file", "a.wav", ""}, model}, "is empty"},
		"a name without an ending":    {[]part{{"file", "audio", wav}, model}, "none of the extensions"},
		"an ending that is not taken": {[]part{{"file", "a.aiff", wav}, model}, "none of the extensions"},
		"no sound":                    {[]part{{"file", "a.wav", "hello"}, model}, "not audio"},
		"a large file":                {[]part{{"file", "a.wav", wav + strings.Repeat("\x00", 25<<20)}, model}, "larger than 25 MB"},
	} {
		status := sendForm(t, s.URL()+"/audio/transcriptions", c.parts)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
}

// TestNotScripted checks that an unscripted endpoint returns 404, and is not a test error: a program may probe what a
// server has.
func TestNotScripted(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Config{Key: "sk-right"})
	for _, key := range []string{"sk-right", "sk-wrong"} {
		want := map[string]int{"sk-right": http.StatusNotFound, "sk-wrong": http.StatusUnauthorized}[key]
		for path, body := range map[string]string{
			"/images/generations": `{"prompt":"x","n":1}`,
			"/audio/speech":       `{"model":"tts-1","input":"x","voice":"nova","response_format":"mp3"}`,
		} {
			if status, _ := send(t, http.MethodPost, s.URL()+path, "application/json", body, "Authorization: Bearer "+key); status != want {
				t.Errorf("%s: %d", path, status)
			}
		}
	}
	if status := sendForm(t, s.URL()+"/audio/transcriptions", []part{{"file", "a.wav", wav}, {"model", "", "m"}}); status != http.StatusUnauthorized {
		t.Errorf("%d", status)
	}
}
