package messages

import (
	"cmp"

	"strings"

	"atelier/agent/lazyregexp"
)

// Language is the BCP 47 tag of the language in which a wish is written, of those that
// the program speaks: Simplified Chinese where the frame of the sentence is Chinese,
// whatever it holds, and otherwise English. A task counts before the text it is about: what
// stands before the first colon or line break decides where it can. What is quoted, names
// of files, addresses and code say nothing, and greetings little, unless there is nothing
// else. A wish without words, such as 👍, is in the language of the first text before that
// has some.
func Language(wish string, before ...string) string {
	return cmp.Or(Written(append([]string{wish}, before...)...), English)
}

// Written is the language of the first text that has words, see [Language]; it is "" where
// none has.
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

// The three finders below are what a sentence is cleared of before it is read: what is not
// said but named, what is said in any language, and all that follows the task.
var (
	quoted = lazyregexp.New("(?s)```.*?```|`[^`]*`" + `|"[^"]*"|“[^”]*”|‘[^‘\n]*?’(?:[^A-Za-z]|$)|「[^」]*」|『[^』]*』|《[^》]*》|«[^»]*»` +
		`|(?:^|[^A-Za-z0-9])'[^\n]*?'(?:[^A-Za-z]|$)` +
		`|https?://[!-~]+|<?a?:\w+:\d*>?` + // an address, :an_emoji: of a chat
		`|(?:[A-Za-z0-9_-]+|[^\P{L}A-Za-z把将將给給用对對从從请請][\p{L}\p{M}\p{N}_-]*)\.[A-Za-z0-9]{2,4}`)
	courtesy = lazyregexp.New(`(?i)\b(?:ok|okay|hi|hello|hey|please|pls|thanks|thank you)\b|你好|您好|谢谢|謝謝|好的`)
	head     = lazyregexp.New(`^(?:[^\n:：]|[:：]\d)+[\n:：]`)
)

// word finds Chinese characters in a row, kana and hangul, and words of other letters with
// all that names and addresses are made of.
var word = lazyregexp.New(`\p{Han}+|[\p{Hiragana}\p{Katakana}\p{Hangul}]+|(?:[^\P{L}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]|[\p{M}\p{N}_./:@#\\'’-])+`)

// asks finds a Chinese question about the text before it.
var asks = lazyregexp.New(`[^\p{Han}](?:是什么|是啥|是什麼|什么意思|什麼意思|怎[么麼][说說读讀写寫念拼用翻]|用[中英][文语語])\p{Han}*[\s?？!！.。]*$`)

// speaker is the language that a word belongs to.
type speaker int

const (
	nobody speaker = iota
	english
	chinese
)

// What a word of a sentence weighs. Those that hold it together count, and in doubt how it
// begins, since what it is about may be in any language and of any length.
const (
	weighFrame   = 4
	weighTask    = 3
	weighWord    = 2
	weighHan     = 1
	weighOpening = 4
)

// reading is what a sentence is made of.
type reading struct {
	weights [chinese + 1]int
	// opening is the language of the first word that may begin a sentence: an English noun,
	// as in "logo 放到左上角", does not. closing is that of the last word.
	opening, closing speaker
	// certain tells that a sentence that begins so is in that language, whatever follows.
	certain bool
	// borrowed tells that Chinese takes the opening English word for its own: "resize 到 50%".
	borrowed bool
	foreign  bool // kana or hangul, and no word that only Chinese has
	asked    bool // in Chinese, what the text before means
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
	opener := false // the word before is the opening one, and an English one
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

// readChinese takes in Chinese characters in a row.
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

// readOther takes in a word of other letters, and tells whether the sentence begins with it.
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
