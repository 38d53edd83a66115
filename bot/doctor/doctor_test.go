package doctor_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/control"
	"atelier/bot/doctor"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/place"
	"atelier/storage/disk"
	"atelier/storage/s3/s3test"
)

// damaged returns a data folder with a truncated state.
func damaged(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, place.StateLog)
	state, err := disk.OpenState(disk.StateConfig{File: file})
	bottest.Check(t, err)
	bottest.Check(t, state.Put(t.Context(), "g/k", make([]byte, 1000), 0))
	bottest.Check(t, state.Close())
	info, err := os.Stat(file)
	bottest.Check(t, err)
	bottest.Check(t, os.Truncate(file, info.Size()-500))
	return folder
}

// TestDoctor checks that everything that is missing, wrong or rejected is reported with a remedy.
func TestDoctor(t *testing.T) {
	t.Parallel()
	redis, locked := miniredis.RunT(t), miniredis.RunT(t)
	locked.RequireAuth(bottest.Hush)
	bucket := s3test.New(t, s3test.Config{Bucket: "media", Key: "id", Secret: bottest.Hush})
	s3 := func(secret string) []string {
		return []string{"S3_BUCKET=media", "AWS_REGION=us-east-1", "AWS_ENDPOINT_URL_S3=" + bucket.URL(), "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=" + secret}
	}
	model := llmtest.New(t, llmtest.Config{Key: bottest.Hush, Models: []string{"large", "small:latest"}})
	models := func(key, name string, more ...string) []string {
		return append(more, "OPENAI_BASE_URL="+model.URL(), "OPENAI_API_KEY="+key, "OPENAI_MODEL="+name)
	}
	file := filepath.Join(t.TempDir(), "file")
	bottest.Write(t, file, "")
	cut, kept, foreign := damaged(t), damaged(t), t.TempDir()
	state, err := disk.OpenState(disk.StateConfig{File: filepath.Join(kept, place.StateLog)})
	bottest.Check(t, err)
	bottest.Check(t, state.Close())
	bottest.Write(t, filepath.Join(foreign, place.StateLog), "something else")
	for name, c := range map[string]struct {
		env   []string
		state doctor.Health
		thing string
		says  string
	}{
		"nothing is set":     {nil, doctor.Healthy, "settings", "These are set and valid: ATELIER_DATA, ATELIER_LISTEN, WEATHER_URL, PLACES_URL."}, // as every test does
		"no folder yet":      {nil, doctor.Healthy, "data folder", " will be created when needed."},
		"no Redis":           {nil, doctor.Healthy, "Redis", "set REDIS_URL"},
		"no process":         {nil, doctor.Missing, "workers", "bot serve"},
		"no files yet":       {nil, doctor.Healthy, "files", "They will be kept in "},
		"no model":           {nil, doctor.Missing, "language model", "set OPENAI_API_KEY"},
		"tools":              {nil, doctor.Healthy, "tools", " can run here."},
		"no own tools":       {nil, doctor.Healthy, "own tools", "ATELIER_CATALOGUE is not set"},
		"an empty folder":    {[]string{"ATELIER_CATALOGUE=" + foreign}, doctor.Missing, "own tools", "There are none in " + foreign},
		"temporary files":    {nil, doctor.Healthy, "temporary files", " can be written to."},
		"a wrong setting":    {[]string{"ATELIER_PARALLEL=many"}, doctor.Wrong, "settings", "ATELIER_PARALLEL is "},
		"a wrong secret":     {[]string{"REDIS_URL=ftp://u:" + bottest.Hush + "@h"}, doctor.Wrong, "settings", "REDIS_URL is invalid: "},
		"nothing more":       {[]string{"ATELIER_PARALLEL=many"}, doctor.Missing, "the rest", "once the settings are valid"},
		"a file for a data":  {[]string{"ATELIER_DATA=" + file}, doctor.Wrong, "data folder", "set ATELIER_DATA to another folder"},
		"a cut state":        {[]string{"ATELIER_DATA=" + cut}, doctor.Wrong, "state", filepath.Join(cut, place.StateLog) + " was damaged: 1026 bytes of it are lost. bot serve will continue"},
		"a state that was":   {[]string{"ATELIER_DATA=" + kept}, doctor.Wrong, "state", ".damaged-"},
		"no state of ours":   {[]string{"ATELIER_DATA=" + foreign}, doctor.Wrong, "state", "was written by another program"},
		"Redis":              {[]string{"REDIS_URL=redis://" + redis.Addr()}, doctor.Healthy, "Redis", " at " + redis.Addr() + " works."},
		"Redis, no worker":   {[]string{"REDIS_URL=redis://" + redis.Addr()}, doctor.Missing, "workers", "bot serve"},
		"Redis, some folder": {[]string{"REDIS_URL=redis://" + redis.Addr(), "ATELIER_DATA=" + t.TempDir()}, doctor.Healthy, "data folder", " can be written to."},
		"Redis is locked":    {[]string{"REDIS_URL=redis://" + locked.Addr()}, doctor.Wrong, "Redis", "rejects the user name or the password"},
		"Redis, wrong word":  {[]string{"REDIS_URL=redis://:no" + bottest.Hush + "@" + locked.Addr()}, doctor.Wrong, "Redis", "rejects the user name or the password"},
		"Redis, right word":  {[]string{"REDIS_URL=redis://:" + bottest.Hush + "@" + locked.Addr()}, doctor.Healthy, "Redis", " at " + locked.Addr()},
		"a bucket":           {s3(bottest.Hush), doctor.Healthy, "files", `in the bucket "media"`},
		"a bucket refuses":   {s3("no" + bottest.Hush), doctor.Wrong, "files", "does not accept the credentials"},
		"another's bucket":   {append(s3(bottest.Hush), "S3_BUCKET=other"), doctor.Wrong, "files", `no bucket "other"`},
		"a model":            {models(bottest.Hush, "large"), doctor.Healthy, "language model", "large at "},
		"its latest":         {models(bottest.Hush, "small"), doctor.Healthy, "language model", "small at "},
		"no such model":      {models(bottest.Hush, "huge"), doctor.Wrong, "language model", "huge is not among them: set OPENAI_MODEL"},
		"a wrong key":        {models("no"+bottest.Hush, "large"), doctor.Wrong, "language model", "key"},
		"no model answers":   {[]string{"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_MODEL=m"}, doctor.Wrong, "language model", "check that it is running, and OPENAI_BASE_URL"},
		"a model for tools":  {models(bottest.Hush, "large", "PLANNER=rules"), doctor.Healthy, "model server", "with 2 models"},
		"one that splits":    {models(bottest.Hush, "large", "DECOMPOSER_MODEL=huge"), doctor.Wrong, "model for splitting", "set DECOMPOSER_MODEL"},
		"a page for all":     {[]string{"WEB_PASSWORD=" + bottest.Hush}, doctor.Healthy, "web channel", "for people who know WEB_PASSWORD."},
		"a page by a proxy":  {[]string{"WEB_USER_HEADER=Remote-User"}, doctor.Healthy, "web channel", "for people that a proxy names in Remote-User."},
		"a page for me":      {nil, doctor.Healthy, "web channel", "for this machine only."},
		"no page":            {[]string{"ATELIER_LISTEN=off"}, doctor.Missing, "web channel", "ATELIER_LISTEN is off"},
		"links to point":     {[]string{"PUBLIC_URL=https://atelier.example.org", "WEB_PASSWORD=" + bottest.Hush}, doctor.Healthy, "pointing", "at https://atelier.example.org."},
		"no HTTP":            {[]string{"ATELIER_LISTEN=off"}, doctor.Healthy, "HTTP", "does not listen"},
		"HTTP":               {nil, doctor.Healthy, "HTTP", "is free"},
		"HTTP is another's":  {[]string{"ATELIER_LISTEN=" + clitest.Serving(t, http.StatusNotFound)}, doctor.Wrong, "HTTP", "set ATELIER_LISTEN"},
		"HTTP is our own":    {[]string{"ATELIER_LISTEN=" + clitest.Serving(t, http.StatusOK)}, doctor.Healthy, "HTTP", "in use by a running Atelier"},
		"no address of ours": {[]string{"ATELIER_LISTEN=192.0.2.1:80"}, doctor.Wrong, "HTTP", "Cannot listen on 192.0.2.1:80"},
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

// TestDoctorOfModels checks that it reports which models are chosen, which will be shut down, and what replaces
// them.
func TestDoctorOfModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		models []string // with the day of their end behind an @
		env    []string
		state  doctor.Health
		thing  string
		says   string
	}{
		"chosen":        {[]string{"gpt-6-luna", "gpt-6.1-terra"}, nil, doctor.Healthy, "language model", " can be used. It was chosen from the server's list; set OPENAI_MODEL to use another one."},
		"of tools":      {[]string{"gpt-6-luna", "gpt-image-2.6-flare", "whisper-1"}, nil, doctor.Healthy, "models of tools", "gpt-image-2.6-flare draws, whisper-1 transcribes speech."},
		"not there":     {[]string{"gpt-6-luna", "whisper-1"}, nil, doctor.Missing, "more models", "set OPENAI_IMAGE_MODEL, OPENAI_SPEECH_MODEL if it has"},
		"unclear":       {[]string{"qwen3-vl:8b", "llama3.2:latest"}, nil, doctor.Wrong, "language model", "is not clear which to use: set OPENAI_MODEL to one of them, such as qwen3-vl:8b, llama3.2:latest."},
		"no list":       {nil, nil, doctor.Healthy, "language model", "gpt-6.1-terra at "},
		"ends":          {[]string{"gpt-6-luna", "mine@2999-12-11"}, []string{"OPENAI_MODEL=mine"}, doctor.Warning, "model mine", " shuts it down on 2999-12-11"},
		"its successor": {[]string{"gpt-6-luna", "mine@2999-12-11"}, []string{"OPENAI_MODEL=mine"}, doctor.Warning, "model mine", ": set OPENAI_MODEL to another one, such as gpt-6-luna."},
		"ended":         {[]string{"gpt-6-luna", "mine@2026-10-23"}, []string{"OPENAI_IMAGE_MODEL=mine"}, doctor.Wrong, "model mine", " shut it down on 2026-10-23"},
		"the next":      {[]string{"gpt-6-luna@2999-01-06", "gpt-5-mini"}, nil, doctor.Warning, "model gpt-6-luna", "; then gpt-5-mini replaces it."},
		"the last": {[]string{"gpt-6-luna", "gpt-4o-mini-tts@2999-01-06"}, nil, doctor.Warning, "model gpt-4o-mini-tts",
			", and lists no known replacement: set OPENAI_SPEECH_MODEL to another model."},
		"splits": {[]string{"gpt-6-luna", "mix@2999-12-11"}, []string{"DECOMPOSER_MODEL=mix"}, doctor.Warning, "model mix", ": set DECOMPOSER_MODEL to another one"},
		"sees":   {[]string{"gpt-6-luna", "eye@2999-12-11"}, []string{"OPENAI_VISION_MODEL=eye"}, doctor.Warning, "model eye", ": set OPENAI_VISION_MODEL to another one"},
		"blind":  {[]string{"gpt-6-luna@2999-12-11", "mine"}, []string{"OPENAI_MODEL=mine", "OPENAI_VISION_MODEL=none"}, "", "model gpt-6-luna", ""},
		"none":   {nil, []string{"OPENAI_MODEL=mine", "OPENAI_VISION_MODEL=none"}, doctor.Healthy, "language model", "mine at "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := llmtest.Config{Ends: map[string]string{}}
			for _, model := range c.models {
				model, day, ends := strings.Cut(model, "@")
				script.Models = append(script.Models, model)
				if ends {
					script.Ends[model] = day
				}
			}
			f := clitest.Examined(t, append(c.env, "OPENAI_BASE_URL="+llmtest.New(t, script).URL())...)[c.thing]
			if f.State != c.state || !strings.Contains(f.Says, c.says) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestDoctorAndTheRunning checks that a running process is named, on its socket and on its Redis.
func TestDoctorAndTheRunning(t *testing.T) {
	t.Parallel()
	l := clitest.Live(t)
	listen := "ATELIER_LISTEN=" + clitest.Serving(t, http.StatusOK)
	bottest.Check(t, l.Place.State.Put(t.Context(), "workers/a-1", []byte(`{"id":"a-1","host":"here","process":7,"queues":["cpu","plan"]}`), time.Hour))
	found := clitest.Examined(t, append(l.Env, listen)...)
	for thing, says := range map[string]string{
		"data folder": l.Folder + " is used by the running Atelier, process 7.",
		"workers":     "Process 7 on here works on cpu, plan.",
		"files":       "They are kept in " + filepath.Join(l.Folder, "blobs"),
		"HTTP":        "it is in use by the running Atelier, process 7.",
	} {
		if f := found[thing]; f.State != doctor.Healthy || !strings.HasPrefix(f.Says, says) && !strings.HasSuffix(f.Says, says) {
			t.Errorf("%+v", f)
		}
	}
	l = clitest.Live(t, "REDIS_URL=redis://"+miniredis.RunT(t).Addr())
	bottest.Check(t, l.Place.State.Put(t.Context(), "workers/a-1", []byte(`{"id":"a-1","queues":["cpu","plan","gateway:web"]}`), time.Hour))
	if f := clitest.Examined(t, l.Env...)["workers"]; f.State != doctor.Healthy || !strings.Contains(f.Says, "All queues have workers") {
		t.Errorf("%+v", f)
	}
}

// TestDoctorAndTheSilent checks that a process that accepts calls but does not answer still holds the folder.
func TestDoctorAndTheSilent(t *testing.T) {
	t.Parallel()
	l := &clitest.Living{T: t, Folder: t.TempDir()}
	listener, err := control.Listen(l.Folder)
	if err != nil {
		t.Fatal(err)
	}
	l.Going(func(ctx context.Context) error {
		context.AfterFunc(ctx, func() { bottest.Check(t, listener.Close()) })
		for {
			conn, err := listener.Accept()
			if err != nil {
				return nil //nolint:nilerr // it was closed
			}
			bottest.Check(t, conn.Close())
		}
	})
	if f := clitest.Examined(t, "ATELIER_DATA="+l.Folder)["data folder"]; f.State != doctor.Wrong || !strings.HasSuffix(f.Says, " is used by a process that does not answer.") {
		t.Errorf("%+v", f)
	}
}

// TestDoctorLeavesNothing checks that it creates nothing.
func TestDoctorLeavesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	clitest.Examined(t, "ATELIER_DATA="+filepath.Join(folder, "data"))
	clitest.Examined(t, "ATELIER_DATA="+folder)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestDoctorAsText checks that there is a line for each finding, and that all mistakes in the settings are
// reported.
func TestDoctorAsText(t *testing.T) {
	t.Parallel()
	status, stdout, _ := clitest.Called{Env: []string{"ATELIER_PARALLEL=many", "ATELIER_LOG=loud", "OPENAI_API_KEY=" + bottest.Hush + " "}, Args: []string{"doctor"}}.Run(t)
	want := `wrong    settings  ATELIER_PARALLEL is "many": expected a whole number from 1 to 64.
wrong    settings  ATELIER_LOG is "loud": expected off, warn, info or debug.
wrong    settings  OPENAI_API_KEY is invalid: it contains spaces, line breaks or characters that no key has; it may not have been copied correctly.
missing  the rest  It is checked once the settings are valid.
`
	if status != fault.StatusFailed || stdout != want {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

// TestDoctorOfPrograms checks that missing programs are named with their packages, and that missing features of
// the kernel are reported.
func TestDoctorOfPrograms(t *testing.T) {
	t.Parallel()
	found := clitest.Examined(t)
	if f := found["programs"]; f.State != doctor.Healthy || !strings.Contains(f.Says, "espeak-ng, ffmpeg, ffprobe,") ||
		!strings.HasSuffix(f.Says, ", python3, PIL, numpy, openpyxl, pypdf, reportlab, convert, gnuplot.") {
		t.Errorf("%+v", f)
	}
	if f := found["confinement"]; f.State == doctor.Wrong || !strings.Contains(f.Says, "Programs run as ") {
		t.Errorf("%+v", f)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("%s was asked for", r.URL)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{":" + port, "0.0.0.0:" + port, "127.0.0.1:" + port} {
		if status, stdout, stderr := clitest.Run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != fault.StatusDone || stdout != "ok\n" {
			t.Errorf("%s: status %d, %s%s", listen, status, stdout, stderr)
		}
	}
	status = http.StatusServiceUnavailable
	for listen, want := range map[string]struct {
		status int
		says   string
	}{
		"127.0.0.1:" + port: {fault.StatusFailed, "bot: The server at " + server.URL + "/healthz is not healthy: 503 Service Unavailable.\n"},
		"127.0.0.1:1":       {fault.StatusFailed, "bot: No Atelier answers at http://127.0.0.1:1/healthz.\n"},
		"off":               {fault.StatusUsage, "bot: ATELIER_LISTEN is off, so there is no address to check.\n"},
	} {
		if status, _, stderr := clitest.Run(t, map[string]string{"ATELIER_LISTEN": listen}, "health"); status != want.status || stderr != want.says {
			t.Errorf("%s: status %d, %s", listen, status, stderr)
		}
	}
	if got := listen.Reachable("[::]:80"); got != "[::1]:80" {
		t.Errorf("[::]:80 is reached at %s", got)
	}
}
