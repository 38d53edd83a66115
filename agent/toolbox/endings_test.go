package toolbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// TestReadmeEndings checks that the README lists the extensions that a command may write.
func TestReadmeEndings(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for typ, named := range map[plan.Type]string{plan.Image: "An image is", plan.Video: "a video", plan.Audio: "an audio", plan.Text: "a text", plan.Document: "a document"} {
		all := commandEndings[typ]
		want := fmt.Sprintf("`%s`", strings.Join(all, "`, `"))
		if last := len(all) - 1; last > 0 {
			want = fmt.Sprintf("`%s` or `%s`", strings.Join(all[:last], "`, `"), all[last])
		}
		if !strings.Contains(string(readme), named+" "+want) {
			t.Errorf("the README lacks: %s %s", named, want)
		}
	}
}
