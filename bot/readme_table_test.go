package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/settings"
)

var update = flag.Bool("update", false, "write the table of tools in agent/toolbox/README.md anew")

// The table of tools is between these lines of agent/toolbox/README.md.
const (
	tableBegins = "<!-- The table is written by: go test ./bot -run TestReadmeTable -update -->\n"
	tableEnds   = "<!-- The end of the table. -->\n"
)

// systems are the systems whose tools the table lists, by their names in the catalogue and for people.
var systems = []struct{ origin, name string }{
	{"controlllm", "ControlLLM"}, {"visualchatgpt", "Visual ChatGPT"}, {"hugginggpt", "HuggingGPT"},
}

// TestReadmeTable compares the table of tools in agent/toolbox/README.md with the catalogue.
func TestReadmeTable(t *testing.T) {
	t.Parallel()
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	readme := string(readPage(t, toolsREADME))
	before, rest, begins := strings.Cut(readme, tableBegins)
	stands, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("the README has no place for the table, between the lines\n%s%s", tableBegins, tableEnds)
	}
	want := "\n" + toolTable(catalogue.Tools()) + "\n"
	if stands == want {
		return
	}
	if !*update {
		t.Fatalf("the README's table is not that of the catalogue; for a new one: go test ./bot -run TestReadmeTable -update")
	}
	err = os.WriteFile(toolsREADME, []byte(before+tableBegins+want+tableEnds+after), 0o644)
	bottest.Check(t, err)
}

// toolTable lists what runs each tool of the three systems.
func toolTable(tools []toolbox.Tool) string {
	var b strings.Builder
	b.WriteString("| tool | of | by itself, without a GPU | with a server of one's own | in the cloud |\n| --- | --- | --- | --- | --- |\n")
	for _, tool := range tools {
		var of []string
		for _, s := range systems {
			if slices.Contains(tool.Origins, s.origin) {
				of = append(of, s.name)
			}
		}
		if len(of) == 0 {
			continue
		}
		var itself, own, cloud []string
		for _, way := range tool.Backends {
			roughly := ""
			if way.Approximate {
				roughly = " (roughly)"
			}
			switch run := "`" + way.Run + "`" + roughly; way.Kind {
			case settings.BuiltinKind:
				itself = append(itself, "built in"+roughly)
			case settings.ProgramKind, settings.CommandKind, settings.WeatherKind:
				itself = append(itself, shortNeeds(way)+roughly)
			case settings.HFTaskKind:
				own = append(own, "tool server: "+run)
				if published(way.Run) {
					cloud = append(cloud, "Hugging Face: "+run)
				}
			case settings.LocalAIKind:
				own = append(own, "LocalAI: "+run)
			case settings.OpenAIKind:
				cloud = append(cloud, "OpenAI: "+run)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", tool.Name, strings.Join(of, ", "), cell(itself), cell(own), cell(cloud))
	}
	return b.String()
}

// published reports whether Hugging Face specifies a task. Only a tool server knows other tasks, and our
// extension.
func published(run string) bool {
	if strings.Contains(run, "+") {
		return false
	}
	task, renamed := map[string]string{ // our runs that the hub knows by another name
		"super-resolution": "image-to-image", "sentiment-analysis": "text-classification", "ner": "token-classification",
	}[run]
	if !renamed {
		task = run
	}
	_, err := os.Stat(filepath.Join("..", "agent", "toolbox", "hftask", "hftasktest", "spec", "tasks", task))
	return err == nil
}

// shortNeeds returns what a backend on this machine needs.
func shortNeeds(way toolbox.Backing) string {
	if way.Kind == settings.WeatherKind {
		return "Open-Meteo"
	}
	_, names, _ := strings.Cut(way.Needs, " program")
	_, names, _ = strings.Cut(names, " ") // of one, or of several
	return names
}

// cell returns the text of a cell.
func cell(ways []string) string {
	if len(ways) == 0 {
		return "–"
	}
	return strings.Join(ways, ", ")
}

// TestToolTable checks that the table distinguishes backends, approximations, and what a cloud cannot do.
func TestToolTable(t *testing.T) {
	t.Parallel()
	got := toolTable([]toolbox.Tool{
		{Name: "own", Origins: []string{"atelier"}},
		{Name: "depth", Origins: []string{"controlllm", "hugginggpt"}, Backends: []toolbox.Backing{
			{Kind: settings.HFTaskKind, Run: "depth-estimation"}, {Kind: settings.LocalAIKind, Run: "depth"}, {Kind: settings.OpenAIKind, Run: "chat-vision"},
			{Kind: settings.ProgramKind, Run: "guess", Needs: "the programs a and b", Approximate: true},
		}},
		{Name: "mask", Origins: []string{"visualchatgpt"}, Backends: []toolbox.Backing{
			{Kind: settings.HFTaskKind, Run: "image-to-image+mask"}, {Kind: settings.HFTaskKind, Run: "mask-generation"}, {Kind: settings.BuiltinKind, Run: "mask"}, {Kind: settings.ProgramKind, Run: "p", Needs: "the program ffmpeg"},
		}},
	})
	_, rows, _ := strings.Cut(got, "| --- |\n")
	want := "| `depth` | ControlLLM, HuggingGPT | a and b (roughly) | tool server: `depth-estimation`, LocalAI: `depth` | " +
		"Hugging Face: `depth-estimation`, OpenAI: `chat-vision` |\n" +
		"| `mask` | Visual ChatGPT | built in, ffmpeg | tool server: `image-to-image+mask`, tool server: `mask-generation` | – |\n"
	if rows != want {
		t.Errorf("it is\n%s", rows)
	}
}
