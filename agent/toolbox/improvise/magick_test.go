package improvise

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// TestImageMagick works in a program, under the policy.
func TestImageMagick(t *testing.T) {
	t.Parallel()
	name := ""
	for _, known := range []string{"convert", "magick", "convert-im6.q16"} { // the last is the program itself on Debian 12
		if _, err := exec.LookPath(known); err == nil {
			name = known
		}
	}
	switch {
	case name == "" && os.Getenv("CI") != "":
		t.Fatal("ImageMagick is not installed")
	case name == "":
		t.Skip("ImageMagick is not installed")
	}
	photo := picture(t, "photo.png", 40, 30)
	for try, want := range map[string]string{
		"[subprocess.check_output([%[1]q, INPUTS[0]['path'], '-resize', '50%%', 'small.png']), open('small.png', 'rb').read(4)]": "PNG",
		"subprocess.check_output([%[1]q, '-list', 'policy'])":                                                                    "30KP",
		"subprocess.run([%[1]q, 'mvg:main.py', 'a.png'], capture_output=True).stderr":                                            "security policy",
	} {
		w := &writer{answers: []string{answer(fmt.Sprintf(attempt, fmt.Sprintf(try, name)))}}
		out, err := backend(t, Config{Writer: w}).Run(t.Context(), pythonRun, jobFor(t, plan.Text, photo))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.Value, want) {
			t.Errorf("%s gives %q", try, out.Value)
		}
	}
}
