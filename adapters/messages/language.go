package messages

import (
	"cmp"

	"strings"

	"atelier/agent/lazyregexp"
)

// Language returns the BCP 47 tag of the program's language in which a request is written: Simplified Chinese if
// the frame of the sentence is Chinese, whatever it contains, and otherwise English. A task counts more than the
// text it is about: the part before the first colon or line break decides if it can. Quotations, file names,
// addresses and code do not count, and greetings only if there is nothing else. A request without words, such as
// 👍, takes the language of the first earlier text that has words.
func Language(request string, before ...string) string {
	return cmp.Or(Written(append([]string{request}, before...)...), English)
}

// Written returns the language of the first text that has words, see [Language]; "" if none has.
func Written(texts ...string) string {
	for _, text := range texts {
		said := quoted.ReplaceAllString(text, " ")
		plain := courtesy.ReplaceAllString(said, " ")
		if task := head.FindString(plain); task != "" {
			if r := read(task); r.opening != nobody {
				return r.language()
			}
		}
		if r := read(plain); r.opening != nobody {
			return r.language()
		}
		for _, part := range []string{said, text} {
			if r := read(part); r.any() {
				return r.language()
			}
		}
	}
	return ""
}

// Patterns that are removed before a sentence is read: quotations and names, and words of
// any language. head matches the task in front of the text that it is about.
var (
	quoted = lazyregexp.New("(?s)```.*?```|`[^`]*`" + `|"[^"]*"|“[^”]*”|‘[^‘\n]*?’(?:[^A-Za-z]|$)|「[^」]*」|『[^』]*』|《[^》]*》|«[^»]*»` +
		`|(?:^|[^A-Za-z0-9])'[^\n]*?'(?:[^A-Za-z]|$)` +
		`|https?://[!-~]+|<?a?:\w+:\d*>?` + // an address, :an_emoji: of a chat
		`|(?:[A-Za-z0-9_-]+|[^\P{L}A-Za-z把将將给給用对對从從请請][\p{L}\p{M}\p{N}_-]*)\.[A-Za-z0-9]{2,4}`)
	courtesy = lazyregexp.New(`(?i)\b(?:ok|okay|hi|hello|hey|please|pls|thanks|thank you)\b|你好|您好|谢谢|謝謝|好的`)
	head     = lazyregexp.New(`^(?:[^\n:：]|[:：]\d)+[\n:：]`)
)

// word matches a run of Chinese characters, a run of kana or hangul, or a word of other letters with the
// characters that names and addresses contain.
var word = lazyregexp.New(`\p{Han}+|[\p{Hiragana}\p{Katakana}\p{Hangul}]+|(?:[^\P{L}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]|[\p{M}\p{N}_./:@#\\'’-])+`)

// asks matches a Chinese question about the text before it.
var asks = lazyregexp.New(`[^\p{Han}](?:是什么|是啥|是什麼|什么意思|什麼意思|怎[么麼][说說读讀写寫念拼用翻]|用[中英][文语語])\p{Han}*[\s?？!！.。]*$`)

// speaker is the language of a word.
type speaker int

const (
	nobody speaker = iota
	english
	chinese
)

// The weights of words. Those that hold a sentence together count most; in doubt the
// beginning decides, since the subject may be in any language and of any length.
const (
	weighFrame   = 4
	weighTask    = 3
	weighWord    = 2
	weighHan     = 1
	weighOpening = 4
)

// reading is the evidence found in a sentence.
type reading struct {
	weights [chinese + 1]int
	// opening is the language of the first word that may begin a sentence: an English noun, as in "logo 放到左上角",
	// may not. closing is the language of the last word.
	opening, closing speaker
	// certain means that the opening decides the language, whatever follows.
	certain bool
	// borrowed means that the opening English word is used as a Chinese one: "resize 到 50%".
	borrowed bool
	foreign  bool // kana or hangul, and no word that only Chinese has
	asked    bool // a Chinese question about the text before
}

func (r *reading) any() bool { return r.closing != nobody || r.foreign }

func (r *reading) language() string {
	w := r.weights
	if !r.borrowed {
		w[r.opening] += weighOpening
	}
	switch {
	case r.foreign:
		return English
	case r.asked:
		return SimplifiedChinese
	case r.certain && !r.borrowed, r.opening == chinese && r.closing == chinese:
		w[r.opening] = w[english] + w[chinese] + 1
	}
	if w[chinese] > w[english] || w[chinese] == w[english] && r.opening == chinese {
		return SimplifiedChinese
	}
	return English
}

func read(text string) *reading {
	r := &reading{}
	kana, onlyChinese := false, false
	opener := false // the word before is the opening one, and English
	for _, w := range word.FindAllString(text, -1) {
		switch first := firstRune(w); {
		case isHan(first):
			r.readChinese(w, opener)
			opener, onlyChinese = false, onlyChinese || strings.ContainsAny(w, neverJapanese)
		case isKana(first):
			kana = true
		default:
			opener = r.readOther(w)
		}
	}
	r.foreign = kana && !onlyChinese
	r.asked = asks.MatchString(text)
	return r
}

// readChinese adds a run of Chinese characters.
func (r *reading) readChinese(w string, afterOpener bool) {
	switch first, last := firstRune(w), lastRune(w); {
	case r.opening == nobody:
		r.opening = chinese
		r.certain = strings.ContainsRune(chineseOpenings, first) || strings.ContainsRune(chineseGoverning, last)
	case !afterOpener:
	case strings.ContainsRune(chineseComplements, first) || strings.HasPrefix(w, "一下"):
		r.borrowed = true
		r.weights[chinese] += weighFrame
	case strings.ContainsRune(chineseDeterminers, first):
		r.borrowed = true
	}
	r.closing = chinese
	for _, c := range w {
		r.weights[chinese] += weighHan
		if strings.ContainsRune(chineseFrame, c) {
			r.weights[chinese] += weighFrame - weighHan
		}
	}
}

// readOther adds a word of other letters, and reports whether it opens the sentence.
func (r *reading) readOther(w string) bool {
	w = strings.ToLower(strings.Trim(w, `./:\'’-`))
	if isName(w) {
		return false
	}
	w, _, _ = strings.Cut(strings.ReplaceAll(w, "’", "'"), "'") // what's, don't
	r.closing = english
	opens := true
	switch {
	case englishFrame[w]:
		r.weights[english] += weighFrame
	case englishTasks[w] || englishTellings[w]:
		r.weights[english] += weighTask
	default:
		r.weights[english] += weighWord
		opens = false
	}
	if r.opening != nobody || !opens {
		return false
	}
	r.opening, r.certain = english, englishTellings[w]
	return true
}
