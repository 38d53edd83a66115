package ask_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// listener is a model server that hears these words in every recording.
func listener(t *testing.T, words string) (env []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/audio/transcriptions") {
			http.NotFound(w, r)
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]string{"text": words}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return []string{"PLANNER=rules", "OPENAI_BASE_URL=" + s.URL + "/v1", "OPENAI_TRANSCRIPTION_MODEL=ear"}
}

// silence is a WAV file of a tenth of a second.
func silence() string {
	const samples = 1600
	return "RIFF\x64\x06\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x40\x06\x00\x00" +
		strings.Repeat("\x00", samples)
}

// TestAskByVoice checks that a spoken request is done with the other files, and quoted.
func TestAskByVoice(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	said := filepath.Join(t.TempDir(), "wish.wav")
	bottest.Write(t, said, silence())
	status, an := clitest.AskModel(t, listener(t, "make it black and white"), "--voice", said)
	if status != fault.StatusDone || len(an.Files) != 1 || !strings.HasPrefix(an.Text, "I heard: “make it black and white”") {
		t.Fatalf("status %d: %+v", status, an)
	}
	if tool := an.Solutions[0].Steps[0].Tool; tool != "greyscale_image" {
		t.Errorf("it ran %s", tool)
	}
	status, an = clitest.AskModel(t, listener(t, "make a small version, 200 pixels wide"), "--voice", said, "--solution", "2")
	if status != fault.StatusDone || len(an.Files) != 1 {
		t.Errorf("its second solution: status %d: %+v", status, an)
	}
}

// TestAskWithInvalidVoice checks that an invalid recording is reported at once, and not transcribed.
func TestAskWithInvalidVoice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said, photo := filepath.Join(dir, "wish.wav"), filepath.Join(dir, "photo.png")
	bottest.Write(t, said, silence())
	bottest.Write(t, photo, string(bottest.PictureBytes(8, 8)))
	for want, c := range map[string]struct {
		args   []string
		status int
	}{
		"give one of them":                        {[]string{"--voice", said, "blur it"}, fault.StatusUsage},
		"--voice is empty":                        {[]string{"--voice", "", "blur it"}, fault.StatusUsage},
		`"photo.png" is not a sound`:              {[]string{"--voice", photo}, fault.StatusFailed},
		`There is no file called "elsewhere.wav"`: {[]string{"--voice", filepath.Join(dir, "elsewhere.wav")}, fault.StatusFailed},
		"say it with --voice FILE":                {nil, fault.StatusUsage},
	} {
		status, _, stderr := clitest.Called{Env: []string{"ATELIER_DATA=" + dir, "PLANNER=rules"}, Args: append([]string{"ask"}, c.args...)}.Run(t)
		if status != c.status || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d: %s", c.args, status, stderr)
		}
	}
}
