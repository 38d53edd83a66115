package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/agent/toolbox/localai/localaitest"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/program"
	"atelier/agent/toolbox/sandbox"
)

// TestDoctorOfServers: each server that is set is told of, whoever names it, and what to do
// about one that does not answer.
func TestDoctorOfServers(t *testing.T) {
	t.Parallel()
	tasks := hftasktest.New(t, hftasktest.Config{Token: hush}).URL()
	local := localaitest.New(t, localaitest.Config{}).URL()
	file := filepath.Join(t.TempDir(), "backends.yaml")
	write(t, file, "servers:\n  - {name: gpu1, kind: hftask, url: \"http://127.0.0.1:1\", token: GPU1_TOKEN}\n")
	const nobody = "http://127.0.0.1:1"
	for name, c := range map[string]struct {
		env   []string
		state health
		thing string
		says  string
	}{
		"the weather":            {nil, healthy, "server weather", "It answers, and 1 way to run a tool can be taken."},
		"no weather":             {[]string{"WEATHER_URL=" + nobody}, missing, "server weather", "WEATHER_URL and PLACES_URL name another one."},
		"a tool server":          {[]string{"TOOL_SERVER_URL=" + tasks, "TOOL_SERVER_TOKEN=" + hush}, healthy, "server toolserver", "It answers, and "},
		"its token is wrong":     {[]string{"TOOL_SERVER_URL=" + tasks, "TOOL_SERVER_TOKEN=no" + hush}, wrong, "server toolserver", "TOOL_SERVER_TOKEN."},
		"no tool server answers": {[]string{"TOOL_SERVER_URL=" + nobody}, wrong, "server toolserver", "Check that it runs, and TOOL_SERVER_URL"},
		"a LocalAI":              {[]string{"LOCALAI_URL=" + local}, healthy, "server localai", "It answers, and "},
		"no LocalAI answers":     {[]string{"LOCALAI_URL=" + nobody}, wrong, "server localai", "Check that it runs, and LOCALAI_URL"},
		"no model server":        {[]string{"OPENAI_BASE_URL=" + nobody + "/v1", "OPENAI_MODEL=m"}, wrong, "server openai", "OPENAI_BASE_URL"},
		"Hugging Face is away": {
			[]string{"HF_TOKEN=" + hush, "HF_ROUTER_URL=" + nobody, "HF_ENDPOINT=" + nobody, "ALLOW_CLOUD_MEDIA=true"},
			wrong, "server huggingface", "HF_TOKEN",
		},
		"one of the file": {[]string{"BACKENDS_FILE=" + file, "GPU1_TOKEN=" + hush}, wrong, "server gpu1", "what BACKENDS_FILE says of it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := examined(t, c.env...)[c.thing]
			if f.State != c.state || !strings.Contains(f.Says, c.says) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestDoctorOfPrograms: what is missing is named with the packages that have it, and so is
// what the kernel does not do.
func TestDoctorOfPrograms(t *testing.T) {
	t.Parallel()
	found := examined(t)
	if f := found["programs"]; f.State != healthy || !strings.Contains(f.Says, "espeak-ng, ffmpeg, ffprobe,") {
		t.Errorf("%+v", f)
	}
	if f := found["confinement"]; f.State == wrong || !strings.Contains(f.Says, "Programs run as ") {
		t.Errorf("%+v", f)
	}
	f := programsFinding([]program.Program{{Name: "espeak-ng", Debian: "espeak-ng", Found: true}, {Name: "ffmpeg", Debian: "ffmpeg"}, {Name: "ffprobe", Debian: "ffmpeg"}, {Name: "tesseract", Debian: "tesseract-ocr"}})
	if f.State != missing || !strings.HasPrefix(f.Says, "ffmpeg, ffprobe, tesseract cannot be found") || !strings.HasSuffix(f.Says, ": apt-get install ffmpeg tesseract-ocr") {
		t.Errorf("%+v", f)
	}
	f = confinementFinding(sandbox.Confinement{User: "As somebody.", Lacks: errors.Join(errors.New("one thing"), errors.New("another"))})
	if f.State != missing || !strings.Contains(f.Says, ": one thing; another. ") || !strings.HasSuffix(f.Says, " As somebody.") {
		t.Errorf("%+v", f)
	}
	if f := confinementFinding(sandbox.Confinement{User: "As somebody."}); f.State != healthy || !strings.HasSuffix(f.Says, " As somebody.") {
		t.Errorf("%+v", f)
	}
	for limit, want := range map[int64]health{1_000_000_000: missing, 4_000_000_000: healthy} {
		b, err := memory.New(memory.Config{Limit: limit})
		check(t, err)
		if f := (examination{Workshop: Workshop{Config: Config{Memory: b, Pixels: 64}}}).memoryFinding(); f.State != want || !strings.HasPrefix(f.Says, fmt.Sprintf("This process and its programs may hold %d MB", limit/1_000_000)) {
			t.Errorf("%+v", f)
		}
	}
}
