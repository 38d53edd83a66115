package main

import (
	"fmt"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestReadmeEndings checks that agent/toolbox/README.md lists the endings that a command may write.
func TestReadmeEndings(t *testing.T) {
	t.Parallel()
	for typ, named := range map[plan.Type]string{plan.Image: "An image is", plan.Video: "a video", plan.Audio: "an audio", plan.Text: "a text", plan.Document: "a document"} {
		all := toolbox.CommandEndings(typ)
		want := fmt.Sprintf("`%s`", strings.Join(all, "`, `"))
		if last := len(all) - 1; last > 0 {
			want = fmt.Sprintf("`%s` or `%s`", strings.Join(all[:last], "`, `"), all[last])
		}
		if !strings.Contains(string(readPage(t, toolsREADME)), named+" "+want) {
			t.Errorf("the README lacks: %s %s", named, want)
		}
	}
}
