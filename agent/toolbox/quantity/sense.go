package quantity

import "atelier/agent/lazyregexp"

var (
	// exotic matches numbers that are never meant: "1e400", "NaN", "infinite".
	exotic = lazyregexp.New(`\d\.?e[+-]?\d|\b(?:nan|inf|infinity|infinite|infinitely)\b`)
	// negative matches a negative number; "10-20" and "10 - 20" are ranges.
	negative  = lazyregexp.New(`(?:^|[\s,x*:+])-\.?\d|^- ?\.?\d|\bminus \.?\d`)
	thousands = lazyregexp.New(`\b(\d{1,3}),(\d{3})\b`)
	decimal   = lazyregexp.New(`\b(\d{1,6}),(\d{1,2})\b`)
)

// senseless reports whether a folded text contains a number that cannot be a quantity.
func senseless(s string) bool { return exotic.MatchString(s) || negative.MatchString(s) }

// numerals normalizes "1,500" and "1,5"; commas of lists stay.
func numerals(s string) string {
	return decimal.ReplaceAllString(thousands.ReplaceAllString(s, "$1$2"), "$1.$2")
}
