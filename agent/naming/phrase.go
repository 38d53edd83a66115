package naming

import (
	"slices"
	"unicode"

	"atelier/agent/lazyregexp"
)

// phrase is a part of a request that only names something.
type phrase struct {
	Mention

	start, end int
	distinct   bool // the name cannot be an ordinary word
	order      bool // introduced by an order to use it
}

// meant reports whether the phrase really names a model, server or program, judging by the work
// that is requested. A name that may be an ordinary word must be able to do what the text is most
// likely about. rest is the request without all candidate phrases.
func (p phrase) meant(near func(text string) []string, rest string) bool {
	all := slices.Concat(near(p.About), near(rest))
	strange := len(all) == 0 // for example in another language
	if p.distinct || strange {
		capital := unicode.IsUpper([]rune(p.Name)[0])
		return strange && (p.distinct || capital) || slices.ContainsFunc(all, p.Could)
	}
	texts := []string{p.About, rest}
	if p.order {
		texts = append(texts, joints.Split(rest, -1)...)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		tools := near(text)
		return len(tools) > 0 && p.Could(tools[0])
	})
}

// remembering caches the results of near.
func remembering(near func(text string) []string) func(text string) []string {
	known := map[string][]string{}
	return func(text string) []string {
		tools, ok := known[text]
		if !ok {
			tools = near(text)
			known[text] = tools
		}
		return tools
	}
}

// joints separate the parts of a request.
var joints = lazyregexp.New(`(?i)[.;:!?]\s|\b(?:and|then)\b`)

// distinct reports whether a name is spelled unlike any ordinary word: with a digit, a symbol, or
// more than one capital.
func distinct(name string) bool {
	capitals := 0
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			capitals++
		case !unicode.IsLetter(r):
			return true
		}
	}
	return capitals > 1
}
