package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What a sign takes, in sixteenths of a token. No tokenizer is asked, since each family of
// models has its own: these are weights that were held against cl100k_base and o200k_base
// (OpenAI's, the older and the newer) over the prompts, JSON, names of files and a dozen
// languages. They err on the side of too many, by a sixth for English and by more for
// what the newer one packs better; TestTokens keeps some of the measurements.
const (
	perToken = 16

	ofLetter      = 5  // a to z: 3.2 a token
	ofDigit       = 13 // some tokenizers take each alone
	ofPunctuation = 9  // quotes and braces often stand together
	ofAccented    = 16 // a letter of Latin with a mark
	ofAlphabet    = 14 // Greek, Cyrillic, Hebrew, Arabic
	ofScript      = 22 // a sign of what is written with three bytes: Chinese, Hindi, Thai
	ofSymbol      = 48 // an emoji
)

// tokens estimates how many tokens a text has.
func tokens(s string) int {
	n := 0
	for _, r := range s {
		n += weight(r)
	}
	return (n + perToken - 1) / perToken
}

func weight(r rune) int {
	switch {
	case r == ' ': // belongs to the word behind it
		return 0
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		return ofLetter
	case r < utf8.RuneSelf && unicode.IsDigit(r):
		return ofDigit
	case r < utf8.RuneSelf:
		return ofPunctuation
	case r <= unicode.MaxLatin1, unicode.Is(unicode.Latin, r):
		return ofAccented
	case utf8.RuneLen(r) == 2:
		return ofAlphabet
	case utf8.RuneLen(r) == utf8.UTFMax:
		return ofSymbol
	}
	return ofScript
}

// perMessage and perPicture are what a message costs beside its text, and a picture
// that is shown in low detail (OpenAI: 85 tokens, others more).
const (
	perMessage = 4
	perPicture = 260
)

func tokensOf(messages []openai.ChatCompletionMessage) int {
	n := 0
	for _, m := range messages {
		n += perMessage + tokens(m.Content)
		for _, p := range m.MultiContent {
			if p.Type == openai.ChatMessagePartTypeImageURL {
				n += perPicture
			}
			n += tokens(p.Text)
		}
	}
	return n
}

// clip cuts a text to so many bytes at the border of a rune.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// clipTo cuts a text to so many tokens, and says so.
func clipTo(s string, most int) string {
	if tokens(s) <= most {
		return s
	}
	left := most*perToken - weight('…')
	for i, r := range s {
		if left -= weight(r); left < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// leastTurn is how many tokens a turn has beside what was made, at the least: below, its
// words tell nothing.
const leastTurn = 32

// latest keeps the latest turns that fit into a budget of tokens: a conversation is cut
// from its oldest turn. A turn that is too long for what is left loses the ends of its
// wish and reply before it is left out, and takes half of it, so that those before it
// are not lost for its sake. What was made in it is kept whole.
func latest(turns []plan.Turn, budget int) []plan.Turn {
	var kept []plan.Turn
	for _, t := range slices.Backward(turns) {
		cost := turnTokens(t)
		if cost > budget {
			made := turnTokens(plan.Turn{Made: t.Made})
			room := max(budget/2, min(made+leastTurn, budget)) - made
			if room < leastTurn {
				break
			}
			wish := max(room/2, room-tokens(t.Reply))
			t.Wish = clipTo(t.Wish, wish)
			t.Reply = clipTo(t.Reply, room-tokens(t.Wish))
			cost = turnTokens(t)
		}
		budget -= cost
		kept = append(kept, t)
	}
	slices.Reverse(kept)
	return kept
}

func turnTokens(t plan.Turn) int {
	return perMessage + tokens(t.Wish) + tokens(t.Reply) + tokens(strings.Join(t.Made, " "))
}

// relevant keeps the tools whose lines fit into a budget of tokens, in the order of the
// catalogue: all, where they fit, and else those that are nearest to the text.
func relevant(index *retrieve.Index, tools []toolbox.Tool, line func(toolbox.Tool) string, text string, budget int) []toolbox.Tool {
	left := budget
	for _, t := range tools {
		left -= tokens(line(t))
	}
	if left >= 0 {
		return tools
	}
	known := make(map[string]toolbox.Tool, len(tools))
	for _, t := range tools {
		known[t.Name] = t
	}
	kept := map[string]bool{}
	keep := func(name string) {
		t, ok := known[name]
		if !ok || kept[name] {
			return
		}
		if cost := tokens(line(t)); cost <= budget {
			budget -= cost
			kept[name] = true
		}
	}
	for _, hit := range index.Nearest(text) {
		keep(hit.Tool)
	}
	for _, t := range tools {
		keep(t.Name)
	}
	var out []toolbox.Tool
	for _, t := range tools {
		if kept[t.Name] {
			out = append(out, t)
		}
	}
	return out
}
