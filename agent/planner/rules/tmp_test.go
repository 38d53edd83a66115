package rules_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
)

func TestTmp(t *testing.T) {
	m := thePlanner(t)
	b, _ := os.ReadFile("/tmp/wishes.tmp")
	kinds := map[string]string{"jpg": "image", "png": "image", "gif": "image", "heic": "image", "mp4": "video", "mov": "video", "mp3": "audio", "wav": "audio", "m4a": "audio", "pdf": "document", "csv": "text", "txt": "text", "md": "text", "srt": "text"}
	for line := range strings.Lines(string(b)) {
		file, wish, _ := strings.Cut(strings.TrimSpace(line), "|")
		var given []plan.Resource
		for _, f := range strings.Fields(file) {
			given = append(given, plan.Resource{Name: f, Type: plan.Type(kinds[f[strings.LastIndex(f, ".")+1:]])})
		}
		d, err := m.Decompose(t.Context(), plan.Request{Wish: wish, Given: given}, nil)
		fmt.Print("## ", line)
		if err != nil {
			fmt.Println("   ERR", err)
		}
		for _, s := range d.Subtasks {
			fmt.Printf("   -> %s %v %v\n", s.Tool, s.Args, s.Said)
		}
		if len(d.Left) > 0 {
			fmt.Println("   LEFT", d.Left)
		}
		if q := fmt.Sprint(d.Question, d.Reply); strings.TrimSpace(q) != "" {
			fmt.Println("   ??", q)
		}
	}
}
