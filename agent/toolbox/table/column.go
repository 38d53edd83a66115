package table

import (
	"strconv"
	"strings"
	"unicode"
)

// Mentioned returns the columns named in the words, in order: "revenue by region" names two. A column
// can be named by its full name, or by its first words if no other column starts with the same word.
func (t Table) Mentioned(words string) []int {
	said := wordsOf(words)
	var found []int
	for at := 0; at < len(said); {
		column, length := t.numbered(said[at:])
		for i, name := range t.Columns {
			parts := wordsOf(name)
			if n := t.begins(said[at:], parts, i); n > length {
				column, length = i, n
			}
		}
		if column < 0 {
			at++
			continue
		}
		at += length
		known := false
		for _, i := range found {
			known = known || i == column
		}
		if !known {
			found = append(found, column)
		}
	}
	return found
}

// places maps ordinals to column numbers.
var places = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}

// numbered returns the column named by number at the start of said, and the number of words used; -1 if there is none.
func (t Table) numbered(said []string) (column, length int) {
	if len(said) < 2 {
		return -1, 0
	}
	at := places[said[0]]
	switch {
	case said[0] == "last" && said[1] == "column":
		at = len(t.Columns)
	case said[0] == "column":
		at, _ = strconv.Atoi(said[1]) //nolint:errcheck // 0 is not a column
	case said[1] != "column":
		at = 0
	}
	if at < 1 || at > len(t.Columns) {
		return -1, 0
	}
	return at - 1, 2
}

// begins returns the number of words at the start of said that name the column.
func (t Table) begins(said, parts []string, column int) int {
	n := 0
	for n < len(parts) && n < len(said) && alike(said[n], parts[n]) {
		n++
	}
	switch {
	case n == 0 || n == len(parts):
		return n
	case len(parts[0]) < 3:
		return 0
	}
	for i, other := range t.Columns {
		if o := wordsOf(other); i != column && len(o) > 0 && alike(o[0], parts[0]) {
			return 0
		}
	}
	return n
}

// alike reports whether two words are the same in singular or plural.
func alike(a, b string) bool { return a == b || singular(a) == singular(b) }

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// wordsOf splits a text or a column name into lower-case words: "unitPrice_EUR" has three.
func wordsOf(text string) []string {
	var spaced strings.Builder
	previous := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		previous = r
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
