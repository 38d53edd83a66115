package read

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
)

// word is a recognised word, with its bounding box in the picture.
type word struct {
	text  string
	sure  float64 // the confidence, in percent
	box   plan.Box
	line  string // identifies its line
	block string // identifies its paragraph
}

func (w word) rect() image.Rectangle {
	return image.Rect(w.box.XMin, w.box.YMin, w.box.XMax, w.box.YMax)
}

// writing is the text of a picture, in reading order.
type writing struct{ words []word }

// Words below leastSure, and single characters below leastSureSign, are dropped as noise. Both are
// confidences in percent.
const (
	leastSure     = 30
	leastSureSign = 55
)

// writing parses tesseract's TSV (level, page, block, paragraph, line, word, left, top, width, height,
// confidence, text), and converts the boxes to the picture's coordinates.
func (p page) writing(table []byte) writing {
	const wordLevel, columns = "5", 12
	var all writing
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) < columns || f[0] != wordLevel {
			continue
		}
		text := strings.TrimSpace(strings.ToValidUTF8(f[11], ""))
		sure, err := strconv.ParseFloat(f[10], 64)
		if err != nil || !legible(text, sure) {
			continue
		}
		all.words = append(all.words, word{
			text: text, sure: sure, box: p.box(f[6:10]),
			line: strings.Join(f[1:5], "."), block: strings.Join(f[1:4], "."),
		})
	}
	return all
}

// surelyRead is the minimum confidence, in percent, of a word that only the second run found, and of one word at least
// where words are scattered.
const surelyRead = 75

// sure reports whether a word of two letters or more was read with confidence.
func (w writing) sure() bool {
	return slices.ContainsFunc(w.words, func(word word) bool {
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				return r
			}
			return -1
		}, word.text)
		return word.sure >= surelyRead && (utf8.RuneCountInString(letters) > 1 || unspaced(word.text))
	})
}

// with adds words that only the second run found.
func (w writing) with(second writing) writing {
	first := w.words
	for _, more := range second.words {
		letters := strings.IndexFunc(more.text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) < 0
		seen := slices.ContainsFunc(first, func(f word) bool { return f.rect().Overlaps(more.rect()) })
		if more.sure < surelyRead || !letters || utf8.RuneCountInString(more.text) < 2 || seen {
			continue
		}
		more.line, more.block = "second "+more.line, "second "+more.block
		w.words = append(slices.Clip(w.words), more)
	}
	return w
}

// legible reports whether a word is more than noise.
func legible(text string, sure float64) bool {
	signs := !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	least := float64(leastSure)
	if signs || utf8.RuneCountInString(text) == 1 {
		least = leastSureSign
	}
	return text != "" && sure >= least
}

// box converts left, top, width and height to a box in the picture.
func (p page) box(at []string) plan.Box {
	var n [4]float64
	for i, s := range at {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return plan.Box{}
		}
		n[i] = v / p.scale
	}
	within := func(v float64, most int) int { return min(max(int(math.Round(v)), 0), most) }
	b := plan.Box{
		XMin: within(math.Floor(n[0]), p.size.X-1), YMin: within(math.Floor(n[1]), p.size.Y-1),
		XMax: within(math.Ceil(n[0]+n[2]), p.size.X), YMax: within(math.Ceil(n[1]+n[3]), p.size.Y),
	}
	b.XMax, b.YMax = max(b.XMax, b.XMin+1), max(b.YMax, b.YMin+1)
	return b
}

// text returns the words as plain text.
func (w writing) text() string {
	var b strings.Builder
	for i, now := range w.words {
		if i > 0 {
			switch before := w.words[i-1]; {
			case before.block != now.block:
				b.WriteString("\n\n")
			case before.line != now.line:
				b.WriteString("\n")
			case !unspaced(before.text) || !unspaced(now.text):
				b.WriteString(" ")
			}
		}
		b.WriteString(now.text)
	}
	return b.String()
}

// unspaced reports whether a word is in a script without spaces between words.
func unspaced(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || unicode.Is(unicode.Po, r) && r > unicode.MaxLatin1
}

// boxes returns the words with their bounding boxes.
func (w writing) boxes() []plan.Box {
	all := make([]plan.Box, len(w.words))
	for i, word := range w.words {
		all[i] = word.box
		all[i].Label, all[i].Score = word.text, math.Round(word.sure)/100
	}
	return all
}

// confidence is the mean confidence, in percent.
func (w writing) confidence() float64 {
	sum := 0.0
	for _, word := range w.words {
		sum += word.sure
	}
	return sum / float64(max(len(w.words), 1))
}
