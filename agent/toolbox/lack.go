package toolbox

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// lack says what a backing needs that this process does not have, because it is not configured or not
// built in. The latter is said clearly, so that nobody installs a program in vain.
type lack struct{ needs, cannot plan.Message }

func (l *lack) sentence() plan.Message { return plan.Say("It needs %s; %s.", l.needs, l.cannot) }

func newLack(b Backing) *lack {
	l := &lack{needs: plan.Say("the operation %s", b.Run)}
	switch b.Kind {
	case "openai":
		l.cannot, l.needs = plan.Say("set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own"), plan.Say("a model server")
	case "hftask":
		l.cannot = plan.Say("set TOOL_SERVER_URL for a server of your own, or HF_TOKEN and ALLOW_CLOUD_MEDIA=true for those of Hugging Face")
		l.needs = plan.Say("a tool server")
	case "localai":
		l.cannot, l.needs = plan.Say("set LOCALAI_URL for a server of your own"), plan.Say("a LocalAI server")
	default:
		l.cannot = plan.Say("no backend of the kind %q is set up here", b.Kind)
	}
	if b.Needs != "" {
		l.needs = needsOf(b)
	}
	return l
}

// needsOf returns what the backing needs according to the catalogue. The message is translated for built-in tools.
func needsOf(b Backing) plan.Message {
	return plan.Message{Format: strings.ReplaceAll(b.Needs, "%", "%%")}
}

// mergeLacks merges lacks with the same remedy into one Obstacle each.
func mergeLacks(lacks []*lack) []Obstacle {
	var whys []Obstacle
	for i, l := range lacks {
		if slices.ContainsFunc(lacks[:i], func(o *lack) bool { return o.cannot.Equal(l.cannot) }) {
			continue
		}
		var needs []plan.Message
		for _, o := range lacks[i:] {
			if o.cannot.Equal(l.cannot) && !slices.ContainsFunc(needs, o.needs.Equal) {
				needs = append(needs, o.needs)
			}
		}
		joint := lack{needs: either(needs), cannot: l.cannot}
		whys = append(whys, Obstacle{Sentence: notSetUp(joint.needs), Operator: joint.sentence(), Lacks: joint.needs, Setup: joint.cannot})
	}
	return whys
}

// either lists alternatives: "a, b or c".
func either(needs []plan.Message) plan.Message {
	last := len(needs) - 1
	return plan.Join("%s or %s", plan.Join("%s, %s", needs[:last]...), needs[last])
}

// Lack returns sentences for the operator on what would make the tool live. It is empty if the tool is live.
func (s Status) Lack() plan.Message {
	var all plan.Message
	for i, why := range s.Obstacles {
		switch {
		case i == 0:
			all = why.operator()
		case !why.Lacks.IsZero():
			all = plan.Join("%s %s", all, plan.Say("Or it needs %s; %s.", why.Lacks, why.Setup))
		default:
			all = plan.Join("%s %s", all, plan.Say("Or: %s", why.operator()))
		}
	}
	return all
}

// Needs returns sentences for people on what would make the tool live, without the operator's
// settings. It is empty if the tool is live.
func (s Status) Needs() plan.Message {
	var lacks, all []plan.Message
	for _, why := range s.Obstacles {
		if why.Lacks.IsZero() {
			all = append(all, why.Sentence)
		} else {
			lacks = append(lacks, why.Lacks)
		}
	}
	if len(lacks) > 0 {
		all = append(all, notSetUp(either(lacks)))
	}
	for i := 1; i < len(all); i++ {
		all[i] = plan.Say("Or: %s", all[i])
	}
	return plan.Join("%s %s", all...)
}

// notSetUp says what is needed, without naming settings.
func notSetUp(needs plan.Message) plan.Message {
	return plan.Say("It needs %s, which is not set up here.", needs)
}

// clause turns a sentence into a clause that can follow a colon, dropping the subject of "It needs …".
func clause(sentence string) string {
	for _, word := range []string{"It", "Its", "The", "This"} {
		if rest, ok := strings.CutPrefix(sentence, word+" "); ok {
			sentence = strings.ToLower(word) + " " + rest
		}
	}
	sentence = strings.TrimSuffix(sentence, ".")
	if needs, ok := strings.CutPrefix(sentence, "it needs "); ok {
		return "needs " + needs
	}
	return sentence
}

// clauses joins the sentences as clauses.
func clauses(whys []Obstacle) string {
	var all []string
	for _, w := range whys {
		if c := clause(w.operator().String()); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return strings.Join(all, "; or ")
}
