package convert_test

import (
	"slices"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
)

// TestCommandsOfPeople checks that Discord offers the commands that the other platforms have.
func TestCommandsOfPeople(t *testing.T) {
	t.Parallel()
	want := append(adapters.AnsweredCommands(), adapters.AskCommand, adapters.CancelCommand)
	var offered []string
	for _, c := range convert.Commands(adapters.English{})[0].Options {
		offered = append(offered, c.Name)
	}
	slices.Sort(want)
	slices.Sort(offered)
	if !slices.Equal(offered, want) {
		t.Errorf("the commands are %q, not %q", offered, want)
	}
}
