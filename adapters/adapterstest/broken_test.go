package adapterstest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"atelier/adapters/adapterstest"
)

// broken names the bot's fault to the process that runs the suite on it.
const broken = "ADAPTERSTEST_BROKEN"

// faults are what a bot may do wrong, and the check that must find it.
var faults = map[string]string{
	// in
	"ends with an error":                           "listening ends",
	"ends before its handlers":                     "the last handler returns first",
	"turns the order around":                       "what is written while none hears",
	"hands all over at once":                       "order within a thread",
	"orders nothing":                               "order within a thread",
	"hears one at a time":                          "threads at once",
	"does not try again":                           "what is not taken comes again",
	"tries at one pace":                            "what is not taken comes again",
	"calls it another event":                       "what is not taken comes again",
	"leaves the mention":                           "texts",
	"reads entities":                               "texts",
	"spells others":                                "mentions of others",
	"hears itself":                                 "own messages",
	"hears bots":                                   "other bots",
	"knows no admins":                              "admins",
	"drops what is replied to":                     "replies to people",
	"hears channels":                               "channels",
	"loses marks":                                  "marks",
	"takes all for its own":                        "meant by none of them",
	"takes replies for nothing":                    "meant by a reply",
	"trusts names":                                 "files",
	"drops what files show":                        "files",
	"hears of one file":                            "files",
	"fetches half":                                 "files at once",
	"fetches anything":                             "files that never were",
	"fetches whatever the context":                 "contexts that have ended",
	"calls what is gone passing":                   "files that are gone",
	"hears any emoji":                              "reactions of no meaning",
	"is deaf to deletion":                          "a stop by deletion",
	"mixes buttons up":                             "buttons",
	"keeps the letters of commands":                "commands",
	"never connects again":                         "broken lines",
	"tries a bad token for ever":                   "listening with a bad token",
	"is always well":                               "checks",
	"hears a reaction that goes as one that comes": "reactions",
	// out
	"drops a file":                "attachments",
	"turns files around":          "attachments",
	"gives no alternative text":   "attachments",
	"leaves files open":           "attachments",
	"sends half of a file":        "attachments that break",
	"gives no links":              "links",
	"posts before it looks":       "limits",
	"says too large in passing":   "limits",
	"offers nothing":              "choices",
	"lets texts notify":           "many are never notified",
	"notifies nobody":             "one person is notified",
	"notifies with each part":     "one person is notified",
	"knows no mark-up":            "markdown",
	"knows no styles":             "markdown",
	"knows more mark-up":          "letter by letter",
	"cuts anywhere":               "long code",
	"cuts bytes":                  "long lines of many bytes",
	"loses the end":               "long texts",
	"forgets a part":              "long texts",
	"posts twice":                 "one key posts once",
	"knows its own keys only":     "one key in several processes",
	"looks, then posts":           "one key at once",
	"takes keys for alike":        "keys that are alike",
	"starts anew":                 "a context that ends while it sends",
	"forgets what was lost":       "lost answers",
	"ignores contexts":            "contexts that have ended",
	"sends what is not valid":     "replies that are none",
	"takes any key":               "keys that are none",
	"writes anywhere":             "threads of another",
	"does not wait":               "short pauses",
	"waits for ever":              "long pauses",
	"piles statuses up":           "statuses",
	"reports anew":                "progress",
	"reports once":                "progress",
	"reads mark-up in progress":   "progress is plain text",
	"types a message":             "typing",
	"piles numbers up":            "numbers",
	"deletes a part":              "deleting",
	"deletes once":                "deleting",
	"looks back to the beginning": "history",
	"looks back the other way":    "history",
}

// TestBroken runs the suite in the process that was told what is broken.
func TestBroken(t *testing.T) {
	t.Parallel()
	if fault := os.Getenv(broken); fault != "" {
		adapterstest.Run(t, adapterstest.Make{Open: open(fault), Bubble: true})
		return
	}
	for fault, check := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			//nolint:gosec // it is this test
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$/^"+regexp.QuoteMeta(strings.ReplaceAll(check, " ", "_"))+"$")
			c.Env = append(os.Environ(), broken+"="+fault)
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestBroken/") {
				t.Errorf("%q does not find it: %v\n%s", check, err, out)
			}
		})
	}
}
