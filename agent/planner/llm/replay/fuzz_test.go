package replay

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecodeFile checks that an accepted recording is the same after it is written, and that each of its answers
// can be sent.
func FuzzDecodeFile(f *testing.F) {
	f.Add([]byte(`{"request":"r","exchanges":[{"job":"j","round":0,"model":"m","user":"u","messages":"sha256:00","content":"c","finish":"stop","usage":{"input":1,"cached":1,"output":2}}]}`))
	f.Add([]byte(`{"request":"r","exchanges":[{"job":"j","round":1,"model":"m","refusal":"no","content":""},{"job":"j","round":0,"model":"m"}]}`))
	f.Add([]byte(`{"request":"\ud800","exchanges":[{"job":"\u0000","model":"<>"}]} `))
	f.Add([]byte(`{"request":"r","exchanges":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := decodeFile(data)
		if err != nil {
			return
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeFile(written)
		if diff := cmp.Diff(read, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
		for _, e := range read.Exchanges {
			got, ok := parseAnswer(e.Body())
			got.Job, got.Round, got.Model, got.User, got.Messages = e.Job, e.Round, e.Model, e.User, e.Messages
			if diff := cmp.Diff(e, got); !ok || diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// FuzzFileName checks that file names are safe, and differ if the IDs do.
func FuzzFileName(f *testing.F) {
	long := strings.Repeat("x", longest)
	for _, pair := range [][2]string{
		{"image_detection-2", "image_detection_2"}, {"a", "A"}, {"..", "."}, {"index", "%69ndex"}, {"a/b", "a%2Fb"},
		{"é", "e"}, {long + "a", long + "b"}, {long, long + "~"}, {"", "\x00"}, {"CON", "con"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		name := fileName(a)
		if len(name) > 200 || name == index || strings.HasPrefix(name, ".") && a != "" || strings.ContainsAny(name, "/\\:*?\"<>| \x00") {
			t.Errorf("%q is named %q", a, name)
		}
		if a != b && strings.EqualFold(name, fileName(b)) {
			t.Errorf("%q and %q are both named %q", a, b, name)
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"image_detection-2": "image_detection-2.json",
		"index":             "%69ndex.json",
		"a.b":               "a.b.json",
		"../x":              "%2E.%2Fx.json",
		"Tür 1":             "%54%C3%BCr%201.json",
	} {
		if got := fileName(id); got != want {
			t.Errorf("%q is named %q, not %q", id, got, want)
		}
	}
}
