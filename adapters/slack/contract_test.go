package slack

import (
	"maps"
	"testing"

	"atelier/adapters/adapterstest"
)

func TestMain(m *testing.M) { adapterstest.Main(m) }

// lacking is what Slack lacks, over either transport.
func lacking(more map[adapterstest.Feature]string) map[adapterstest.Feature]string {
	all := map[adapterstest.Feature]string{
		adapterstest.Replies:  "people write in a thread, and not to one of its messages",
		adapterstest.Answers:  "an answer stands in its thread, and by no message of it",
		adapterstest.Marks:    "people point at pictures on the page of the link",
		adapterstest.Pictures: "people point at pictures on the page of the link",
		adapterstest.Placed:   "Slack takes no command in a thread, and does not tell of one",
		adapterstest.Later:    "Slack sends an event again for some minutes only, and on a schedule of its own",
		adapterstest.Races:    "Slack takes the same post from two who ask at once",
		adapterstest.Forgets:  "what is written belongs to the workspace",
	}
	maps.Copy(all, more)
	return all
}

func TestContractBySocket(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{
		Open:    func(t *testing.T) adapterstest.Platform { t.Helper(); return overSocket{newWorkspace(t, false)} },
		Without: lacking(nil),
	})
}

func TestContractByHTTP(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{
		Open:    func(t *testing.T) adapterstest.Platform { t.Helper(); return overHTTP{newWorkspace(t, true)} },
		Without: lacking(map[adapterstest.Feature]string{adapterstest.Breaks: "there is no line that could break"}),
	})
}
