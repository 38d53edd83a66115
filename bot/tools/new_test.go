package tools

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/bottest"
	"atelier/bot/settings"
)

// TestNewTools checks that tool new always writes a valid tool, whatever it takes and returns.
func TestNewTools(t *testing.T) {
	t.Parallel()
	types := []string{"", "image", "video", "audio", "text", "document"}
	for _, kind := range []string{settings.CommandKind, settings.ServiceKind} {
		for _, takes := range types {
			for _, returns := range types {
				b, err := (&NewToolCommand{Name: "some_tool", Kind: kind, Takes: takes, Returns: returns}).File()
				bottest.Check(t, err)
				tool, err := toolbox.ReadTool(b, unknownPrograms)
				if err != nil {
					t.Fatalf("%s from %s to %s: %v\n%s", kind, takes, returns, err, b)
				}
				right := func(asked string, typ plan.Type) bool { return asked == "" || asked == string(typ) }
				if !right(takes, tool.Args[0].Type) || !right(returns, tool.Returns) || len(tool.Warnings()) > 0 {
					t.Errorf("%s from %s to %s takes %s, returns %s, %q", kind, takes, returns, tool.Args[0].Type, tool.Returns, tool.Warnings())
				}
			}
		}
	}
}
