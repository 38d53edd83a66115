package toolbox

import (
	"fmt"
	"slices"
	"strings"
)

// lack is what is missing for a backing whose make this process does not have: because
// it is not configured, or because this build has none. It is said honestly, so that
// nobody installs a program in vain.
type lack struct{ needs, cannot string }

func (l *lack) Error() string { return "needs " + l.needs + "; " + l.cannot }

func newLack(b Backing) *lack {
	l := &lack{needs: b.Needs}
	otherwise := "the operation " + b.Run
	switch b.Kind {
	case "program":
		l.cannot, otherwise = "this version cannot run programs yet", "a program"
	case "openai":
		l.cannot, otherwise = "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own", "a model server"
	case "hftask", "localai":
		l.cannot, otherwise = "this version cannot use such servers yet", "a tool server"
	case "http":
		l.cannot, otherwise = "this version cannot ask web services yet", "a web service"
	default:
		l.cannot = fmt.Sprintf("this version has no backend of the kind %q", b.Kind)
	}
	if l.needs == "" {
		l.needs = otherwise
	}
	return l
}

// together says in one sentence each what the same thing stands in the way of.
func together(lacks []*lack) []string {
	var whys []string
	for i, l := range lacks {
		if slices.ContainsFunc(lacks[:i], func(o *lack) bool { return o.cannot == l.cannot }) {
			continue
		}
		var needs []string
		for _, o := range lacks[i:] {
			if o.cannot == l.cannot && !slices.Contains(needs, o.needs) {
				needs = append(needs, o.needs)
			}
		}
		joint := lack{needs: strings.Join(needs, " or "), cannot: l.cannot}
		whys = append(whys, joint.Error())
	}
	return whys
}

// clause is a sentence as it stands after a colon, and without its subject where it says
// what a tool needs.
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
