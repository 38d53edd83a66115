package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/agent/toolbox/hftask/hftasktest"
	"atelier/bot/clitest"
	"atelier/bot/serve"
	"atelier/jobs"
)

// speaking is a platform with voice messages, whose files are at their handles.
type speaking struct{ *clitest.Parlour }

func (speaking) Fetch(_ context.Context, f adapters.File) (io.ReadCloser, error) {
	return os.Open(f.Handle)
}

// TestVoiceMessage checks that a voice message about a picture is transcribed, quoted and done.
func TestVoiceMessage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := hftasktest.New(t, hftasktest.Config{Heard: "take the umbrella out", Words: map[string]string{"red": "umbrella"}})
	p := clitest.NewParlour()
	o := clitest.OpenService(t, serve.Service{Adapters: []adapters.Adapter{speaking{p}}}, "ATELIER_DATA="+t.TempDir(), "TOOL_SERVER_URL="+server.URL())
	wish := p.Wish("m1", "")
	wish.Message.Files = []adapters.File{{ID: "v", Name: "voice-message.wav", Handle: prop(t, dir, "voice.wav", "voice take the umbrella out"), Voice: true}}
	wish.Message.ReplyTo = &adapters.Earlier{
		Ref: adapters.MessageRef{Adapter: "parlour", Channel: "room", ID: "before"}, By: adapters.Person{ID: "bob"},
		Files: []adapters.File{{ID: "p", Name: "beach.png", Handle: prop(t, dir, "beach.png", "scene")}},
	}
	p.Says <- wish
	reply := <-p.Replies
	r := o.WaitFor(wish)
	if r.Runs[0].Status != jobs.Done || !strings.Contains(reply.Text, "I heard: “take the umbrella out”") {
		t.Fatalf("%s: %s\n%s", r.Runs[0].Status, reply.Text, o.Log)
	}
	if heard := server.Asked("automatic-speech-recognition"); len(heard) != 1 {
		t.Errorf("it transcribed %d times", len(heard))
	}
	edits := server.Asked("image-to-image")
	if len(edits) != 1 || !strings.Contains(fmt.Sprint(edits[0].Parameters["prompt"]), "umbrella") {
		t.Errorf("the picture was changed so: %+v", edits)
	}
	if len(reply.Files) != 1 {
		t.Errorf("it came with %+v", reply.Files)
	}
}
