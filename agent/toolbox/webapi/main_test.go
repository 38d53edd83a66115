package webapi

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/facts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// unmeasured fails a test that needs a sound or a video measured: no request here does.
type unmeasured struct{ facts.Measurer }

// several separates the values of an argument with several.
const several = "\x1f"

// args are the arguments of a call by name: texts, and files as paths.
type args map[string]string

// serve starts a service, and records its requests.
func serve(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *requests) {
	t.Helper()
	seen := &requests{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.URL.String())
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s, seen
}

// requests are the requested addresses.
type requests struct {
	mu  sync.Mutex
	all []string
}

func (r *requests) add(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, address)
}

func (r *requests) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

// says always answers the same.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) //nolint:errcheck // the test sees it
	}
}

// use is a tool with a request, and a call of it.
type use struct {
	backend   *Backend
	candidate toolbox.Candidate
	call      toolbox.Call
}

// newUse returns a call of a tool. BASE in the request is replaced by the base address.
func newUse(t *testing.T, base, request string, returns plan.Type, given args, change ...func(*Config)) use {
	t.Helper()
	var declared strings.Builder
	declared.WriteString("\nparams:\n  - {name: width, type: integer, about: width, optional: true, min: 1, max: 99}\n" +
		"  - {name: loud, type: boolean, about: loud, optional: true, default: \"yes\"}\n" +
		"  - {name: style, type: choice, about: style, optional: true, default: plain, choices: {plain: [plain], fancy: [fancy]}}\nargs:\n")
	for name, typ := range map[string]string{"text": "text, meaning: content", "image": "image", "sound": "audio", "pictures": "image, many: true", "notes": "text, meaning: content, many: true"} {
		if name == "text" || strings.Contains(request, name) {
			fmt.Fprintf(&declared, "  - {name: %s, type: %s, about: what is given, optional: %t}\n", name, typ, given[name] == "" && !strings.Contains(typ, "many"))
		}
	}
	file := "name: some_tool\ndescription: Does something.\nwhen: Always.\nexamples: [make it, do it, something please]\ndomain: general\norigins: [own]" +
		declared.String() + "returns: " + string(returns) + "\nbackends:\n  - {kind: http, request: " + strings.ReplaceAll(request, "BASE", base) + "}\n"
	tool, err := toolbox.ReadTool([]byte(file))
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	call := toolbox.Call{Tool: tool.Name, Returns: returns, Args: map[string][]toolbox.Value{}, Dir: t.TempDir()}
	for name, value := range given {
		for value := range strings.SplitSeq(value, several) {
			v := toolbox.Value{Resource: plan.Resource{Name: name, Type: plan.Text, Value: value}}
			for _, a := range tool.Args {
				if a.Name == name && a.Type != plan.Text {
					v = toolbox.Value{Resource: plan.Resource{Name: filepath.Base(value), Type: a.Type}, Path: value}
				}
			}
			call.Args[name] = append(call.Args[name], v)
		}
	}
	if call, err = tool.Typed(call); err != nil {
		t.Fatal(err)
	}
	return use{newBackend(t, base, change...), toolbox.Candidate{Backing: tool.Backends[0]}, call}
}

// newBackend returns a backend that may call the host, without delays between retries.
func newBackend(t *testing.T, base string, change ...func(*Config)) *Backend {
	t.Helper()
	_, host, _ := strings.Cut(base, "://")
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := Config{
		Base: base, Hosts: Hosts{host}, Measurer: func(toolbox.Call) facts.Measurer { return unmeasured{} }, Transport: transport,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, f := range change {
		f(&c)
	}
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (u use) run(ctx context.Context) (toolbox.Output, error) {
	return u.backend.Run(ctx, u.candidate, u.call)
}

func picture() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 12, 8))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37)
	}
	for y := range 8 {
		img.Set(3, y, color.NRGBA{255, 0, 0, 255})
	}
	return img
}

func pngBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture(), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func stored(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
