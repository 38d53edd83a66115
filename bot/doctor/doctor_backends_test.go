package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/doctor"
)

// TestDoctorOfServers checks that each configured server is reported, whichever setting names it, with a remedy if
// it does not answer.
func TestDoctorOfServers(t *testing.T) {
	t.Parallel()
	tasks := hftasktest.New(t, hftasktest.Config{Token: bottest.Hush}).URL()
	local := localaitest.New(t, localaitest.Config{}).URL()
	file := filepath.Join(t.TempDir(), "backends.yaml")
	bottest.Write(t, file, "servers:\n  - {name: gpu1, kind: hftask, url: \"http://127.0.0.1:1\", token: GPU1_TOKEN}\n")
	const nobody = "http://127.0.0.1:1"
	for name, c := range map[string]struct {
		env   []string
		state doctor.Health
		thing string
		says  string
	}{
		"the weather":            {nil, doctor.Healthy, "server weather", "It answers, and can run 1 tool backend."},
		"no weather":             {[]string{"WEATHER_URL=" + nobody}, doctor.Missing, "server weather", "WEATHER_URL and PLACES_URL name another one."},
		"a tool server":          {[]string{"TOOL_SERVER_URL=" + tasks, "TOOL_SERVER_TOKEN=" + bottest.Hush}, doctor.Healthy, "server toolserver", "It answers, and "},
		"its token is wrong":     {[]string{"TOOL_SERVER_URL=" + tasks, "TOOL_SERVER_TOKEN=no" + bottest.Hush}, doctor.Wrong, "server toolserver", "TOOL_SERVER_TOKEN."},
		"no tool server answers": {[]string{"TOOL_SERVER_URL=" + nobody}, doctor.Wrong, "server toolserver", "Check that it runs, and TOOL_SERVER_URL"},
		"a LocalAI":              {[]string{"LOCALAI_URL=" + local}, doctor.Healthy, "server localai", "It answers, and "},
		"no LocalAI answers":     {[]string{"LOCALAI_URL=" + nobody}, doctor.Wrong, "server localai", "Check that it runs, and LOCALAI_URL"},
		"no model server":        {[]string{"OPENAI_BASE_URL=" + nobody + "/v1", "OPENAI_MODEL=m"}, doctor.Wrong, "server openai", "OPENAI_BASE_URL"},
		"Hugging Face is away": {
			[]string{"HF_TOKEN=" + bottest.Hush, "HF_ROUTER_URL=" + nobody, "HF_ENDPOINT=" + nobody, "ALLOW_CLOUD_MEDIA=true"},
			doctor.Wrong, "server huggingface", "HF_TOKEN",
		},
		"one of the file": {[]string{"BACKENDS_FILE=" + file, "GPU1_TOKEN=" + bottest.Hush}, doctor.Wrong, "server gpu1", "its entry in BACKENDS_FILE."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := clitest.Examined(t, c.env...)[c.thing]
			if f.State != c.state || !strings.Contains(f.Says, c.says) {
				t.Errorf("%+v", f)
			}
		})
	}
}
