package settings

import (
	"strings"
	"testing"
)

func FuzzBackendsFile(f *testing.F) {
	f.Add([]byte(ExampleBackends))
	f.Add([]byte("tools: {blur_image: [{server: native, timeout: 1m}]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := ParseBackends(b)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
		for _, s := range file.Servers {
			if err == nil && s.check() != nil {
				t.Errorf("%+v is taken", s)
			}
		}
	})
}
