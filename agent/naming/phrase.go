package naming

import (
	"slices"
	"unicode"

	"atelier/agent/lazyregexp"
)

// phrase is a part of a request that names something and says nothing else.
type phrase struct {
	Mention

	start, end int
	distinct   bool // the name can be nothing but a name
	order      bool // it is said that it is to be used
}

// meant reports whether a name is one, by what is to be done by it: for one that may be
// another word, that is what comes first to mind. rest is the request without all that may be
// names.
func (p phrase) meant(near func(text string) []string, rest string) bool {
	all := slices.Concat(near(p.About), near(rest))
	strange := len(all) == 0 // as in another language
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

// remembering asks a function once for each text.
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

// joints are between the parts of a request.
var joints = lazyregexp.New(`(?i)[.;:!?]\s|\b(?:and|then)\b`)

// distinct reports whether a name is written as no other word is: with a figure, a sign, or
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
