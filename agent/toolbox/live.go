package toolbox

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// Status reports whether a tool can run now, in this process or elsewhere.
type Status struct {
	Tool Tool
	Live bool
	// Candidates are the live candidates of all processes, in the order they are tried; at least one if Live.
	Candidates []plan.Candidate
	// Why says what this process lacks and how to get it, for people: "needs the program ffmpeg", "the
	// model server does not answer". Empty if Live.
	Why string
	// Obstacles holds the same as whole sentences, which can be translated.
	Obstacles []Obstacle
}

// Obstacle is one obstacle to running a tool.
type Obstacle struct {
	// Sentence is for people and names no settings.
	Sentence plan.Message
	// Operator is for the operator; zero if it is the same as Sentence.
	Operator plan.Message
	// Lacks is what is not set up here, such as "a tool server", and Setup tells the operator how to
	// set it up. Both are zero if something that is set up fails.
	Lacks, Setup plan.Message
}

// operator returns the sentence for operators.
func (w Obstacle) operator() plan.Message {
	if w.Operator.IsZero() {
		return w.Sentence
	}
	return w.Operator
}

func (w Obstacle) equal(o Obstacle) bool {
	return w.Sentence.Equal(o.Sentence) && w.Operator.Equal(o.Operator) && w.Lacks.Equal(o.Lacks) && w.Setup.Equal(o.Setup)
}

// By returns the default candidate that runs the tool; zero unless Live.
func (s Status) By() plan.Candidate {
	if len(s.Candidates) == 0 {
		return plan.Candidate{}
	}
	return s.Candidates[0]
}

// Liveness is a snapshot of which tools can run. It is read-only.
type Liveness struct {
	statuses []Status // in the order of the catalogue
	byName   map[string]int
}

// Live reports whether the tool can run.
func (l *Liveness) Live(tool string) bool {
	i, ok := l.byName[tool]
	return ok && l.statuses[i].Live
}

// Status returns the status of a tool.
func (l *Liveness) Status(tool string) (Status, bool) {
	i, ok := l.byName[tool]
	if !ok {
		return Status{}, false
	}
	return l.statuses[i], true
}

// Statuses lists the status of every tool of the catalogue, by name.
func (l *Liveness) Statuses() []Status { return slices.Clone(l.statuses) }

// same reports whether both have the same status for every tool.
func (l *Liveness) same(other *Liveness) bool {
	return slices.EqualFunc(l.statuses, other.statuses, func(a, b Status) bool {
		return a.Live == b.Live && a.Why == b.Why && slices.Equal(a.Candidates, b.Candidates)
	})
}

// lack says what a backing needs that this process does not have, because it is not configured or not
// built in. The latter is said clearly, so that nobody installs a program in vain. People is the sentence for a chat;
// operators learn what is needed, and why it cannot be used.
type lack struct{ people, needs, cannot plan.Message }

func (l *lack) sentence() plan.Message { return plan.Say("It needs %s; %s.", l.needs, l.cannot) }

func newLack(b Backing) *lack {
	l := &lack{people: plan.Say("It needs an AI model that is not connected to me."), needs: plan.Say("the operation %s", b.Run)}
	switch b.Kind {
	case "openai":
		l.cannot, l.needs = plan.Say("set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own"), plan.Say("a model server")
	case "hftask":
		l.cannot = plan.Say("set TOOL_SERVER_URL for a server of your own, or HF_TOKEN and ALLOW_CLOUD_MEDIA=true for those of Hugging Face")
		l.needs = plan.Say("a tool server")
	case "localai":
		l.cannot, l.needs = plan.Say("set LOCALAI_URL for a server of your own"), plan.Say("a LocalAI server")
	default:
		l.people = plan.Say("It needs a program that I do not have here.")
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
		whys = append(whys, Obstacle{Sentence: l.people, Operator: joint.sentence(), Lacks: joint.needs, Setup: joint.cannot})
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

// Needs returns sentences for people on what would make the tool live, without the operator's words. It is empty if
// the tool is live.
func (s Status) Needs() plan.Message {
	var all []plan.Message
	for _, why := range s.Obstacles {
		if !slices.ContainsFunc(all, why.Sentence.Equal) {
			all = append(all, why.Sentence)
		}
	}
	for i := 1; i < len(all); i++ {
		all[i] = plan.Say("Or: %s", all[i])
	}
	return plan.Join("%s %s", all...)
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
