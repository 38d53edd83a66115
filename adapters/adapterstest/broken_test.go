package adapterstest_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/adapters/adapterstest"
)

// broken tells the process that runs the suite which fault the bot has; awake means outside a bubble.
const (
	broken = "ADAPTERSTEST_BROKEN"
	awake  = "ADAPTERSTEST_AWAKE"
)

// faults are the possible faults of a bot, by the check that must find them.
var faults = map[string][]string{
	"features": {"lacks more than it says", "lacks less than it says", "gives no reason", "lacks what is no feature"},
	// listening
	"the name":                         {"takes another name"},
	"listening ends":                   {"ends with an error"},
	"listening ends where none takes":  {"sleeps through the end"},
	"the last handler returns first":   {"ends before its handlers"},
	"order within a thread":            {"hands all over at once", "orders nothing"},
	"threads at once":                  {"hears one at a time"},
	"what is not taken comes again":    {"does not try again", "tries at one pace", "calls it another event"},
	"what was not taken is kept":       {"does not try again"},
	"what is written while none hears": {"turns the order around"},
	// hearing
	"texts":                                  {"leaves the mention", "reads entities"},
	"mentions of others":                     {"spells others"},
	"own messages":                           {"hears itself"},
	"other bots":                             {"hears bots"},
	"admins":                                 {"knows no admins"},
	"replies to people":                      {"drops what is replied to"},
	"replies to the bot":                     {"drops what is replied to"},
	"channels":                               {"hears channels"},
	"voice messages":                         {"takes voices for files", "takes files for voices", "is deaf to silence"},
	"marks":                                  {"loses marks"},
	"marked pictures":                        {"takes one picture for another", "marks once"},
	"meant by a mention":                     {"takes mentions for nothing"},
	"meant by a direct message":              {"takes all for its own"},
	"meant by a reply":                       {"takes replies for nothing"},
	"meant by none of them":                  {"takes all for its own"},
	"meant by a mention in a reply":          {"takes mentions for nothing"},
	"meant by a mention in a direct message": {"takes mentions for nothing"},
	"meant by a reply in a direct message":   {"takes replies for nothing"},
	"edits":                                  {"takes edits for the message"},
	"files":                                  {"trusts names", "drops what files show", "hears of one file"},
	"files at once":                          {"fetches half"},
	"files that never were":                  {"fetches anything"},
	"files that are gone":                    {"calls what is gone passing"},
	// choosing
	"reactions":               {"hears what goes as what comes"},
	"reactions to every part": {"hears one part"},
	"reactions of no meaning": {"hears any emoji"},
	"a stop by a sign":        {"hears what goes as what comes"},
	"a stop by deletion":      {"is deaf to deletion"},
	"buttons":                 {"mixes buttons up"},
	"a stop by its button":    {"is deaf to stops"},
	"commands":                {"keeps the letters of commands", "hears commands in the channel"},
	// breaking
	"broken lines":               {"never connects again"},
	"what is told twice":         {"takes an echo for another event"},
	"listening with a bad token": {"tries a bad token for ever"},
	"sending with a bad token":   {"calls all passing"},
	"checks":                     {"is always well"},
	// sending
	"a text":                   {"adds words", "leaves somebody behind"},
	"nobody is notified":       {"lets texts notify"},
	"one person is notified":   {"notifies nobody", "notifies with each part"},
	"many are never notified":  {"lets texts notify"},
	"one of two is notified":   {"lets texts notify"},
	"choices":                  {"offers nothing"},
	"what is answered":         {"answers nothing"},
	"answers to what is gone":  {"needs what it answers"},
	"other threads":            {"mixes threads up"},
	"direct threads":           {"knows no direct threads"},
	"markdown":                 {"knows no mark-up", "knows no styles"},
	"letter by letter":         {"knows more mark-up"},
	"texts of others":          {"knows more mark-up"},
	"long texts":               {"loses the end", "forgets a part"},
	"long code":                {"cuts anywhere"},
	"long lines of many bytes": {"cuts bytes"},
	// attaching
	"attachments":               {"drops a file", "turns files around", "gives no alternative text", "leaves files open"},
	"many attachments":          {"drops a file"},
	"attachments alone":         {"sends no file alone"},
	"names of attachments":      {"calls all files alike"},
	"links":                     {"gives no links"},
	"links to mark by":          {"gives no links"},
	"attachments that are gone": {"calls all passing"},
	"attachments that break":    {"sends half of a file", "starts anew"},
	"limits":                    {"posts before it looks", "calls all passing"},
	"a form that is refused":    {"insists on its form"},
	// repeating and refusing
	"one key posts once":                 {"posts twice"},
	"one key in several processes":       {"knows its own keys only"},
	"one key at once":                    {"looks, then posts"},
	"one key at once in processes":       {"looks, then posts"},
	"keys that are alike":                {"takes keys for alike"},
	"lost answers":                       {"forgets what was lost"},
	"a context that ends while it sends": {"ignores contexts"},
	"contexts that have ended":           {"ignores contexts", "fetches whatever the context"},
	"a platform that is silent":          {"ignores contexts"},
	"replies that are none":              {"sends what is not valid"},
	"keys that are none":                 {"takes any key"},
	"threads of another":                 {"writes anywhere"},
	"threads that are gone":              {"calls all passing"},
	"threads that are closed":            {"calls all passing"},
	"short pauses":                       {"does not wait"},
	"long pauses":                        {"waits for ever"},
	// extras
	"statuses":                 {"piles statuses up"},
	"statuses of what is gone": {"calls what is gone passing"},
	"progress":                 {"reports anew", "reports once"},
	"progress is plain text":   {"reads mark-up in progress"},
	"progress of many steps":   {"reports anew"},
	"progress is posted once":  {"reports anew"},
	"progress and an answer":   {"posts on top"},
	"typing":                   {"types a message"},
	"numbers":                  {"piles numbers up"},
	"deleting":                 {"deletes a part", "deletes once"},
	"history":                  {"looks back to the beginning", "looks back the other way", "looks back too far"},
	"forgetting":               {"forgets too much"},
}

// slow are the checks that take time, with the faults that they find outside a bubble.
var slow = map[string][]string{
	"what is not taken comes again":      {"does not try again", "tries at one pace"},
	"listening ends where none takes":    {"sleeps through the end"},
	"listening with a bad token":         {"tries a bad token for ever"},
	"one key at once":                    {"looks, then posts"},
	"one key at once in processes":       {"looks, then posts"},
	"a context that ends while it sends": {"ignores contexts"},
	"short pauses":                       {"does not wait"},
	"long pauses":                        {"waits for ever"},
}

// brokenMake is an implementation with a fault, of its bot or of its own.
func brokenMake(fault string, bubble bool) adapterstest.Make {
	m := adapterstest.Make{Open: open(fault), Bubble: bubble}
	if !bubble {
		m.Patience = 3 * time.Second // for events that never come, or come after some retries
	}
	switch fault {
	case "lacks more than it says":
		m.Open = openLeast
	case "lacks less than it says":
		m.Without = map[adapterstest.Feature]string{adapterstest.Typing: "nobody types"}
	case "gives no reason":
		m.Without = map[adapterstest.Feature]string{adapterstest.Answers: " "}
	case "lacks what is no feature":
		m.Without = map[adapterstest.Feature]string{"wings": "it cannot fly"}
	}
	return m
}

// TestBroken runs the suite in a process with a fault. Each check must find something.
func TestBroken(t *testing.T) {
	t.Parallel()
	if fault := os.Getenv(broken); fault != "" {
		adapterstest.Run(t, brokenMake(fault, os.Getenv(awake) == ""))
		return
	}
	names := append(adapterstest.Names(), "features")
	slices.Sort(names)
	if want, got := names, slices.Sorted(maps.Keys(faults)); !slices.Equal(want, got) {
		t.Errorf("the checks and the faults do not match:\n%s", cmp.Diff(want, got))
	}
	for check, all := range faults {
		for _, fault := range all {
			t.Run(check+"/"+fault, func(t *testing.T) { isFound(t, check, fault) })
		}
	}
	for check, all := range slow {
		for _, fault := range all {
			t.Run(check+"/"+fault+"/without a bubble", func(t *testing.T) { isFound(t, check, fault, awake+"=yes") })
		}
	}
}

// isFound checks that a check finds a fault.
func isFound(t *testing.T, check, fault string, env ...string) {
	t.Helper()
	t.Parallel()
	pattern := "^TestBroken$/^" + regexp.QuoteMeta(strings.ReplaceAll(check, " ", "_")) + "$"
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+pattern) //nolint:gosec // it is this test
	c.Env = append(append(os.Environ(), broken+"="+fault), env...)
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: TestBroken/") {
		t.Errorf("the fault is not found: %v\n%s", err, out)
	}
}
