package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		Model: "gpt-4o-mini-tts", Input: "Grüß dich", Voice: "verse", Instructions: "warmly", ResponseFormat: "wav", Speed: 1.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close() //nolint:errcheck // it is read whole
	if audio, err := io.ReadAll(res); err != nil || string(audio) != wav || res.Header().Get("Content-Type") != "audio/wav" {
		t.Errorf("%d bytes of %s, %v", len(audio), res.Header().Get("Content-Type"), err)
	}
	want := []llmtest.SpeechRequest{{Model: "gpt-4o-mini-tts", Input: "Grüß dich", Voice: "verse", Instructions: "warmly", Format: "wav", Speed: 1.5}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(llmtest.SpeechRequest{}, "Header")); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidSpeech(t *testing.T) {
	t.Parallel()
	w := &watched{TB: t}
	s := llmtest.New(w, llmtest.Config{Speech: func(llmtest.SpeechRequest) llmtest.SpeechResponse { return llmtest.SpeechResponse{} }})
	for name, c := range map[string]struct{ body, why string }{
		"unknown field":            {`{"model":"tts-1","input":"x","voice":"nova","language":"de"}`, "language"},
		"no model":                 {`{"input":"x","voice":"nova"}`, "no model"},
		"no input":                 {`{"model":"tts-1","input":" ","voice":"nova"}`, "no input"},
		"a long input":             {`{"model":"tts-1","input":"` + strings.Repeat("ü", 4097) + `","voice":"nova"}`, "4097 characters"},
		"no voice":                 {`{"model":"kokoro","input":"x"}`, "no voice"},
		"an unknown voice":         {`{"model":"gpt-4o-mini-tts","input":"x","voice":"af_heart"}`, "voice"},
		"a voice of later models":  {`{"model":"tts-1-hd","input":"x","voice":"marin"}`, "voice"},
		"instructions":             {`{"model":"tts-1","input":"x","voice":"nova","instructions":"warmly"}`, "no instructions"},
		"an unknown format":        {`{"model":"tts-1","input":"x","voice":"nova","response_format":"ogg"}`, "response_format"},
		"too fast":                 {`{"model":"tts-1","input":"x","voice":"nova","speed":4.5}`, "speed"},
		"streaming":                {`{"model":"gpt-4o-mini-tts","input":"x","voice":"nova","stream_format":"sse"}`, "stream_format"},
		"a voice of another shape": {`{"model":"tts-1","input":"x","voice":7}`, "voice"},
	} {
		status, _ := send(t, http.MethodPost, s.URL()+"/audio/speech", "application/json", c.body)
		if errors := w.caught(); status != http.StatusBadRequest || len(errors) != 1 || !strings.Contains(errors[0], c.why) {
			t.Errorf("%s: status %d, reported %q", name, status, errors)
		}
	}
	if status, _ := send(t, http.MethodPost, s.URL()+"/audio/speech", "application/json", `{"model":"kokoro","input":"x","voice":"af_heart"}`); status != http.StatusOK {
		t.Errorf("another model's voice: %d, %q", status, w.caught())
	}
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	var got []llmtest.TranscribeRequest
	s := llmtest.New(t, llmtest.Config{Transcribe: func(r llmtest.TranscribeRequest) llmtest.TranscribeResponse {
		got = append(got, r)
		return llmtest.TranscribeResponse{Text: "hello", Language: "english", Duration: 1.5, Segments: []llmtest.Segment{{Start: 0.5, End: 1, Text: "hello"}}}
	}})
	c := client(t, s.URL())
	for _, format := range []openai.AudioResponseFormat{"", "json", "text", "srt", "vtt", "verbose_json"} {
		r := openai.AudioRequest{Model: "whisper-1", FilePath: "a.wav", Reader: strings.NewReader(wav), Format: format, Language: "en", Prompt: "p", Temperature: 0.5}
		if format == "verbose_json" {
			r.TimestampGranularities = []openai.TranscriptionTimestampGranularity{"segment", "word"}
		}
		res, err := c.CreateTranscription(t.Context(), r)
		if err != nil || strings.TrimSpace(res.Text) != "hello" {
			t.Fatalf("%s: %+v, %v", format, res, err)
		}
		if format == "verbose_json" && (res.Language != "english" || res.Duration != 1.5 || len(res.Segments) != 1 || res.Segments[0].End != 1 || res.Task != "transcribe") {
			t.Errorf("%+v", res)
		}
	}
	want := llmtest.TranscribeRequest{
		Model: "whisper-1", Language: "en", Prompt: "p", Format: "verbose_json", Temperature: 0.5, Granularities: []string{"segment", "word"},
		Name: "a.wav", Audio: []byte(wav),
	}
	if diff := cmp.Diff(want, got[5], cmpopts.IgnoreFields(llmtest.TranscribeRequest{}, "Header")); diff != "" {
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
		"unknown field":                 {[]part{file, model, {"task", "", "translate"}}, "'task'"},
		"no model":                      {[]part{file}, "no model"},
		"no file":                       {[]part{model}, "0 files"},
		"two files":                     {[]part{file, file, model}, "2 files"},
		"an empty file":                 {[]part{{"file", "a.wav", ""}, model}, "is empty"},
		"a name without an ending":      {[]part{{"file", "audio", wav}, model}, "none of the extensions"},
		"an ending that is not taken":   {[]part{{"file", "a.aiff", wav}, model}, "none of the extensions"},
		"no sound":                      {[]part{{"file", "a.wav", "hello"}, model}, "not audio"},
		"a large file":                  {[]part{{"file", "a.wav", wav + strings.Repeat("\x00", 25<<20)}, model}, "larger than 25 MB"},
		"a language by its name":        {[]part{file, model, {"language", "", "english"}}, "ISO 639-1"},
		"an unknown format":             {[]part{file, model, {"response_format", "", "xml"}}, "response_format"},
		"a format of another model":     {[]part{file, {"model", "", "gpt-4o-transcribe"}, {"response_format", "", "srt"}}, "response_format"},
		"a temperature that is none":    {[]part{file, model, {"temperature", "", "warm"}}, "not a number"},
		"too hot":                       {[]part{file, model, {"temperature", "", "1.5"}}, "temperature is 1.5"},
		"times without their format":    {[]part{file, model, {"timestamp_granularities[]", "", "word"}}, "verbose_json"},
		"times of something else":       {[]part{file, model, {"response_format", "", "verbose_json"}, {"timestamp_granularities[]", "", "letter"}}, "timestamp_granularities"},
		"streaming":                     {[]part{file, model, {"stream", "", "true"}}, "streaming"},
		"a temperature that is no such": {[]part{file, model, {"temperature", "", "NaN"}}, "temperature is NaN"},
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
			"/images/generations": `{"prompt":"x"}`,
			"/audio/speech":       `{"model":"tts-1","input":"x","voice":"nova"}`,
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
