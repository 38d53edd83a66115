package retrieve

import (
	"slices"
	"strings"

	"atelier/agent/plan"
)

// Prefixes of features that are not words.
const (
	formPrefix  = "form:"
	verbPrefix  = "verb:"
	mediaPrefix = "media:"
)

// formatFeature is the feature for the name of any file format.
const formatFeature = "format"

// IsFormat reports whether a lower-case word names a file format.
func IsFormat(w string) bool {
	return !strings.Contains(w, ".") && FileType("."+w) != ""
}

// isConverted reports whether the name of a format usually is about conversion. A PDF or a ZIP file is
// a thing of its own.
func isConverted(format string) bool {
	t := FileType("." + format)
	return t != plan.Document && t != plan.Archive
}

// Form is the form of a clause: an order, or a kind of question.
type Form string

// The forms.
const (
	Order Form = "order"
	YesNo Form = "yesno"
	Count Form = "count"
	Where Form = "where"
	Who   Form = "who"
	What  Form = "what"
	How   Form = "how"
	Why   Form = "why"
	When  Form = "when"
)

// Features returns the features for comparing a text: its words as classes, pairs of adjacent words,
// its form, its first verb, and the types of its files.
func (l *Lexicon) Features(words []Word) []string {
	fs := featureSet{seen: map[string]bool{}}
	core := l.Core(words)
	form := l.FormOf(words)
	fs.add(formPrefix + string(form))
	prev := ""
	first := true
	lead := len(core) - len(l.Lead(core)) // number of introductory words before the verb
	for i := 0; i < len(core); i++ {
		w := core[i]
		switch w.Kind {
		case File:
			fs.add(mediaPrefix + string(w.Media))
			prev = ""
			continue
		case Slot:
			fs.addSlot(w)
			prev, first = "", false
			continue
		case Plain:
		default:
			prev = ""
			continue
		}
		if lower := strings.ToLower(w.Text); IsFormat(lower) && isConverted(lower) {
			fs.add(formatFeature)
			prev, first = "", false
			if lower != "gif" { // a GIF is also a thing of its own
				continue
			}
		}
		if i+1 < len(core) && core[i+1].Kind == File && introducesFile(w.Text) {
			continue // "the photo titled beach.png" does not ask for a title
		}
		class, n := l.ClassAt(core, i)
		if n == 1 && l.stop[strings.ToLower(w.Text)] {
			continue
		}
		if t := l.definite(core, i); t != "" {
			fs.add(mediaPrefix + string(t)) // "in the picture" provides a picture; "draw a picture" asks for one
			prev, first = "", false
			continue
		}
		i += n - 1
		if first && form == Order && i >= lead {
			fs.add(verbPrefix + class)
		}
		first = first && i < lead
		fs.add(class)
		if prev != "" {
			fs.add(prev + " " + class)
		}
		prev = class
	}
	return fs.all
}

// featureSet collects unique features in order of insertion.
type featureSet struct {
	all  []string
	seen map[string]bool
}

func (s *featureSet) add(f string) {
	if !s.seen[f] {
		s.seen[f] = true
		s.all = append(s.all, f)
	}
}

// addSlot adds the features of a slot: its media type, and whether it names a format.
func (s *featureSet) addSlot(w Word) {
	if w.Media != "" {
		s.add(mediaPrefix + string(w.Media))
	}
	if IsFormat(strings.TrimPrefix(strings.ToLower(w.Text), ".")) {
		s.add(formatFeature)
	}
}

// definite returns the media type if the word at i refers to given media: "the photo", "this attached
// clip", "image cat.png"; "" for "a photo" and other words.
func (l *Lexicon) definite(words []Word, i int) plan.Type {
	t := l.mediaOf(words[i].Stem)
	if t == "" {
		return ""
	}
	if i+1 < len(words) && words[i+1].Kind == File {
		return t
	}
	for k := i - 1; k >= 0 && k >= i-3 && words[k].Kind == Plain; k-- {
		switch strings.ToLower(words[k].Text) {
		case "the", "this", "that", "these", "those", "my", "our", "given", "attached", "provided", "uploaded", "above", "same", "each", "both":
			if k > 0 && i-k > 1 && l.mediaOf(words[i-1].Stem) == "" && !l.stop[strings.ToLower(words[i-1].Text)] {
				return "" // "the dog picture": a kind of picture
			}
			return t
		case "a", "an", "new":
			return ""
		}
	}
	return ""
}

// introducesFile reports whether a word only introduces a file name.
func introducesFile(w string) bool {
	return slices.Contains([]string{"titled", "named", "called", "entitled", "labelled", "labeled", "file"}, strings.ToLower(w))
}

// ClassAt returns the class of the word or phrase at i, and the number of words it spans.
func (l *Lexicon) ClassAt(words []Word, i int) (string, int) {
	best, class := 1, l.Class(words[i].Stem)
next:
	for _, p := range l.phrases[words[i].Stem] {
		if len(p.stems) <= best || i+len(p.stems) > len(words) {
			continue
		}
		for k, s := range p.stems {
			if words[i+k].Kind != Plain || words[i+k].Stem != s {
				continue next
			}
		}
		best, class = len(p.stems), p.class
	}
	return class, best
}

// exampleWords splits an example request. Text in braces is a slot, of which only the media type counts.
func (l *Lexicon) exampleWords(example string) []Word {
	var words []Word
	rest := example
	for rest != "" {
		before, after, open := strings.Cut(rest, "{")
		words = append(words, l.Words(before, nil)...)
		if !open {
			break
		}
		slot, tail, _ := strings.Cut(after, "}")
		words = append(words, Word{Text: slot, Kind: Slot, Media: l.slotMedia(slot)})
		rest = tail
	}
	return words
}

// slotMedia returns the media type of a slot's sample: "photo.jpg", "this picture"; "" for anything else.
func (l *Lexicon) slotMedia(slot string) plan.Type {
	if t := FileType(slot); t != "" {
		return t
	}
	return l.MediaNoun(l.Words(slot, nil))
}

// MediaNoun returns the media type that the words name as a noun ("the picture", "my clip"); "" if
// there is none or there are other content words.
func (l *Lexicon) MediaNoun(words []Word) plan.Type {
	var found plan.Type
	for _, w := range words {
		if w.Kind != Plain || l.stop[strings.ToLower(w.Text)] {
			continue
		}
		t := l.mediaOf(w.Stem)
		if t == "" {
			return ""
		}
		found = t
	}
	return found
}

func (l *Lexicon) mediaOf(stem string) plan.Type {
	switch l.Class(stem) {
	case "imag":
		return plan.Image
	case "video":
		return plan.Video
	case "audio":
		return plan.Audio
	case "pdf":
		return plan.Document
	}
	return ""
}

// Core removes the polite introduction of a clause: "could you please", "I would like you to", "help me", "hey,".
func (l *Lexicon) Core(words []Word) []Word {
	i := 0
	for i < len(words) {
		n := wrapping(words[i:])
		if n == 0 {
			break
		}
		i += n
	}
	return words[i:]
}

// wrapping returns the number of polite introductory words; 0 if none.
func wrapping(words []Word) int {
	lower := func(i int) string {
		if i >= len(words) {
			return ""
		}
		return strings.ToLower(words[i].Text)
	}
	in := func(w string, set ...string) bool { return slices.Contains(set, w) }
	a, b := lower(0), lower(1)
	switch {
	case words[0].Kind == Mark:
		return 1
	case in(a, "first", "second", "third") && len(words) > 1 && (words[1].Kind == Number || in(b,
		"page", "pages", "frame", "frames", "second", "seconds", "sec", "secs", "minute", "minutes", "half", "third", "quarter", "part",
		"few", "two", "three", "four", "five", "ten", "picture", "image", "photo", "one", "column", "row", "line", "slide")):
		return 0 // "first 5 seconds only" is content
	case in(a, "hi", "hey", "hello", "morning", "good") && in(b,
		"all", "team", "folks", "everyone", "everybody", "guys", "there", "morning", "afternoon", "evening"):
		return 2
	case in(a, "morning", "afternoon", "evening") && len(words) > 1 && words[1].Kind == Mark:
		return 1
	case in(a, "please", "pls", "plz", "kindly", "hey", "hi", "hello", "ok", "okay", "so", "now", "well",
		"also", "first", "firstly", "second", "secondly", "third", "next", "then", "finally", "lastly", "furthermore",
		"moreover", "additionally", "afterwards", "and", "but", "just", "bot", "atelier", "yo", "dear", "again", "plus", "subsequently"):
		return 1
	case in(a, "can", "could", "would", "will", "may", "might") && in(b, "you", "u", "we", "somebody", "someone", "anybody", "anyone"):
		return 2
	case in(a, "can", "could", "may") && b == "i" && in(lower(2), "get", "have", "see"):
		return 3
	case in(a, "would", "could", "will") && b == "you" && lower(2) == "be" && lower(3) == "so" && lower(4) == "kind" && lower(5) == "as" && lower(6) == "to":
		return 7
	case a == "would" && b == "it" && lower(2) == "be" && lower(3) == "possible" && lower(4) == "for" && lower(6) == "to":
		return 7
	case a == "would" && b == "it" && lower(2) == "be" && lower(3) == "possible" && lower(4) == "to":
		return 5
	case a == "is" && b == "it" && lower(2) == "possible" && lower(3) == "to":
		return 4
	case in(a, "you") && in(b, "to", "please", "kindly"):
		return 2
	case in(a, "i", "we") && in(b, "want", "need", "wish"):
		return 2 + wantTail(words[2:])
	case in(a, "i", "we") && in(b, "would", "'d", "’d", "should") && in(lower(2), "like", "love", "appreciate"):
		return 3 + wantTail(words[3:])
	case in(a, "i", "we") && in(b, "'d", "’d", "would") && lower(2) == "appreciate":
		return 3
	case in(a, "i", "we") && in(b, "'m", "’m", "am", "are", "'re") && in(lower(2), "trying", "looking", "going") && lower(3) == "to":
		return 4
	case in(a, "i", "we") && in(b, "'m", "’m", "am", "are", "'re") && lower(2) == "looking" && lower(3) == "for":
		return 2
	case a == "help" && in(b, "me", "us"):
		return 2 + btoi(lower(2) == "to")
	case a == "after" && b == "that":
		return 2
	case a == "once" && b == "done":
		return 2
	case a == "in" && b == "the" && lower(2) == "end":
		return 3
	case a == "go" && b == "ahead" && lower(2) == "and":
		return 3
	case a == "let" && in(b, "me", "us", "'s", "’s") && lower(2) == "know":
		return 3
	case a == "tell" && in(b, "me", "us") && in(lower(2), "if", "whether"):
		return 0
	case a == "let" && in(b, "'s", "’s"):
		return 2
	}
	return 0
}

// wantTail counts further introductory words after "I want" or "I would like": "to", "you to", "to know".
func wantTail(words []Word) int {
	lower := func(i int) string {
		if i >= len(words) {
			return ""
		}
		return strings.ToLower(words[i].Text)
	}
	switch {
	case lower(0) == "to" && (lower(1) == "know" || lower(1) == "see" && (lower(2) == "if" || lower(2) == "whether")):
		return 1
	case lower(0) == "to":
		return 1
	case lower(0) == "you" && lower(1) == "to":
		return 2
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
