package llm

import (
	"strings"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// A token is about four letters of an alphabet, and about one sign of a script without
// an alphabet. Counting on the safe side is enough where a budget is kept.
const lettersPerToken = 4

// tokens estimates how many tokens a text has.
func tokens(s string) int {
	letters, signs := 0, 0
	for _, r := range s {
		if r < 0x2E80 { // below the scripts of East Asia
			letters += utf8.RuneLen(r)
		} else {
			signs++
		}
	}
	return signs + (letters+lettersPerToken-1)/lettersPerToken
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

// latest keeps the latest turns that fit into a budget of tokens: a conversation is cut
// from its oldest turn.
func latest(turns []plan.Turn, budget int) []plan.Turn {
	from := len(turns)
	for from > 0 {
		t := turns[from-1]
		budget -= perMessage + tokens(t.Wish) + tokens(t.Reply) + tokens(strings.Join(t.Made, " "))
		if budget < 0 {
			break
		}
		from--
	}
	return turns[from:]
}

// finder cuts the catalogue to what matters for a wish.
type finder struct {
	lexicon *retrieve.Lexicon
	index   *retrieve.Index
}

// relevant keeps the tools whose lines fit into a budget of tokens, in the order of the
// catalogue: all, where they fit, and else those that are nearest to the text.
func (f finder) relevant(tools []toolbox.Tool, line func(toolbox.Tool) string, text string, budget int) []toolbox.Tool {
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
	for _, hit := range f.index.Search(f.lexicon.Features(f.lexicon.Words(text, nil))) {
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
