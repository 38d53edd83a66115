package retrieve

import (
	"slices"
	"strings"
)

// FormOf returns the form of a clause. Questions wrapped in orders ("tell me whether …", "I wonder how
// many …") have the form of the question.
func (l *Lexicon) FormOf(words []Word) Form {
	core := l.Lead(l.Core(words))
	text := make([]string, 0, len(core))
	for _, w := range core {
		if w.Kind == Plain || w.Kind == File {
			text = append(text, strings.ToLower(w.Text))
		}
	}
	at := func(i int) string {
		if i < 0 || i >= len(text) {
			return ""
		}
		return text[i]
	}
	asked := false // whether an earlier word asks something
	for i := range text {
		a, b := text[i], at(i+1)
		opening := i == 0
		asked = asked || i > 0 && asks(text[i-1])
		switch {
		case a == "how" && (b == "many" || b == "much"),
			opening && (a == "count" || a == "tally"),
			(a == "number" || a == "quantity" || a == "amount" || a == "count") && b == "of":
			return Count
		case a == "whether" && i > 0, a == "if" && asked:
			return YesNo
		case opening && a == "do" && (startsObject(b) || b == "the" && at(i+2) == "same"):
			return Order
		case opening && IsModal(a) && passive(text):
			return Order // "can a mask of the dog be made?"
		case opening && isAuxiliary(a) && len(text) > 1:
			return YesNo
		case opening || asked:
			if f, ok := wh(a); ok {
				return f
			}
		}
	}
	return Order
}

// Lead removes an introductory phrase: "in photo.jpg, …", "for the picture a.png, …".
func (l *Lexicon) Lead(words []Word) []Word {
	if len(words) == 0 {
		return words
	}
	if rest := l.afterName(words); len(rest) > 0 {
		return rest
	}
	if words[0].Kind != File && !Leads(words[0].Text) {
		return words
	}
	file := false
	for i, w := range words {
		if w.Kind == Mark && w.Text == "," && i <= 6 && i+1 < len(words) && startsQuestion(words[i+1:]) {
			return l.Core(words[i+1:]) // "in a few lines, what is …"
		}
		switch {
		case words[0].Kind == File && w.Kind == Plain && !strings.EqualFold(w.Text, "and"):
			return words // "a.png is …": the file is the subject
		case w.Kind == File || w.Kind == Plain && i > 0 && l.mediaOf(w.Stem) != "":
			file = true
		case file && w.Kind == Mark && (w.Text == "," || w.Text == ":"):
			if rest := l.Core(words[i+1:]); len(rest) > 0 {
				return rest
			}
			return words
		}
	}
	return words
}

// afterName returns the words after the colon that follows a file name: "the photo a.png: …".
func (l *Lexicon) afterName(words []Word) []Word {
	file := false
	for i, w := range words {
		switch {
		case w.Kind == File:
			file = true
		case w.Kind == Mark && w.Text == ":" && file:
			return l.Core(words[i+1:])
		case w.Kind == Plain && (l.Stop(w.Text) || l.mediaOf(w.Stem) != "" || introducesFile(w.Text)):
		default:
			return nil
		}
	}
	return nil
}

// Leads reports whether a word starts an introductory phrase: a preposition, "given", "looking".
func Leads(word string) bool {
	switch strings.ToLower(word) {
	case "for", "in", "on", "from", "with", "given", "using", "considering", "regarding", "about", "concerning", "based",
		"at", "looking", "of", "by", "as", "judging", "within", "inside", "out":
		return true
	}
	return false
}

// startsQuestion reports whether the words start with a question word.
func startsQuestion(words []Word) bool {
	if words[0].Kind != Plain {
		return false
	}
	first := strings.ToLower(words[0].Text)
	_, is := wh(first)
	return is || isAuxiliary(first)
}

func wh(word string) (Form, bool) {
	switch word {
	case "where", "wheres":
		return Where, true
	case "who", "whom", "whose", "whos":
		return Who, true
	case "what", "which", "whats":
		return What, true
	case "how", "hows":
		return How, true
	case "why":
		return Why, true
	case "when":
		return When, true
	}
	return "", false
}

// IsModal reports whether a word is "can", "could", "may" or "might".
func IsModal(w string) bool {
	return slices.Contains([]string{"can", "could", "may", "might"}, strings.ToLower(w))
}

// passive reports whether the words contain "be" and a participle.
func passive(text []string) bool {
	for i, w := range text {
		if w == "be" && i > 1 && i+1 < len(text) && participle(text[i+1]) {
			return true
		}
	}
	return false
}

func participle(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en") || slices.Contains([]string{"made", "cut", "drawn", "shown"}, w)
}

// startsObject reports whether a word after "do" starts its object.
func startsObject(w string) bool {
	return slices.Contains([]string{"something", "anything", "it", "this", "that", "a", "an", "your"}, w)
}

func isAuxiliary(w string) bool {
	return slices.Contains([]string{"is", "are", "was", "were", "does", "do", "did", "has", "have", "had",
		"can", "could", "will", "would", "should", "isn't", "aren't", "doesn't"}, w)
}

// asks reports whether a word makes a following "if" or question word a question: a verb of telling or finding out.
func asks(w string) bool {
	switch w {
	case "tell", "know", "see", "check", "determine", "say", "wonder", "wondering", "find", "verify", "confirm",
		"identify", "detect", "decide", "judge", "explain", "figure", "learn", "look", "answer", "examine", "inspect",
		"recognize", "recognise", "assess", "indicate", "ascertain", "curious", "understand", "test", "ask", "show", "inform":
		return true
	}
	return false
}
