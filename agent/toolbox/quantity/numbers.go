package quantity

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

var (
	numeral = lazyregexp.New(`(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}) ?(%|min|m\b|h\b|hour|k)?`)
	clock   = lazyregexp.New(`\b(?:(\d{1,3}):)?(\d{1,3}):(\d{2})\b`)
	spoken  = map[string]float64{
		"half": 0.5, "halve": 0.5, "twice": 2, "double": 2, "thrice": 3, "triple": 3, "quadruple": 4,
		"third": 1.0 / 3, "quarter": 0.25, "a": 1, "an": 1,
	}
	spelledOut = lazyregexp.New(`\b(?:half|halve|twice|double|thrice|triple|quadruple|third|quarter|an?\b)`)
)

// Numbers returns the numbers in a text, in every unit in which a tool may take them: "2 minutes" is 2
// and 120, "50 %" is 50 and 0.5, "1:30" is 1, 30 and 90.
func Numbers(text string) map[float64]bool {
	all := map[float64]bool{}
	for _, piece := range pieces(text) {
		addNumbers(all, numerals(fold(piece)))
	}
	return all
}

// pieces splits a text at line ends, else at spaces, into pieces that [fold] does not cut.
func pieces(text string) []string {
	var all []string
	for len(text) > maxText {
		last := func(sep string) int { return max(strings.LastIndex(text[:maxText], sep), 0) }
		end := cmp.Or(last("\n"), last(" "), maxText)
		all, text = append(all, text[:end]), text[end:]
	}
	return append(all, text)
}

// addNumbers adds the numbers in a folded text.
func addNumbers(all map[float64]bool, s string) {
	for _, m := range clock.FindAllStringSubmatch(s, -1) {
		all[clockSeconds(m)] = true
	}
	for _, m := range numeral.FindAllStringSubmatch(s, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			continue
		}
		all[v] = true
		switch m[2] {
		case "%":
			all[v/100] = true
		case "min", "m":
			all[60*v] = true
		case "h", "hour":
			all[3600*v] = true
		case "k":
			all[1000*v] = true
		}
	}
	for _, w := range spelledOut.FindAllString(s, -1) {
		all[spoken[w]] = true
	}
}

// clockSeconds returns the seconds of a match of clock.
func clockSeconds(m []string) float64 { return 3600*float(m[1]) + 60*float(m[2]) + float(m[3]) }

// Says reports whether a quantity matches these numbers of a text.
func Says(numbers map[float64]bool, said string) bool {
	said = numerals(fold(said))
	said = clock.ReplaceAllStringFunc(said, func(time string) string {
		m := clock.FindStringSubmatch(time)
		if anyOf(numbers, map[float64]bool{clockSeconds(m): true}) {
			return ""
		}
		return time
	})
	for _, one := range numeral.FindAllString(said, -1) {
		if !anyOf(numbers, turned(one)) {
			return false
		}
	}
	for _, w := range spelledOut.FindAllString(said, -1) {
		if w != "a" && w != "an" && !anyOf(numbers, map[float64]bool{spoken[w]: true, 100 * spoken[w]: true}) {
			return false
		}
	}
	return true
}

// turned returns the numbers of a numeral, and their complements and inverses: "20 % slower" is 80 %,
// "2x slower" is 0.5.
func turned(one string) map[float64]bool {
	all := Numbers(one)
	for v := range Numbers(one) {
		if strings.Contains(one, "%") && v < 100 {
			all[100+v], all[100-v], all[1+v/100], all[1-v/100] = true, true, true, true
		} else if v > 0 {
			all[1/v], all[100*v] = true, true
		}
	}
	return all
}

// anyOf reports whether the sets share a number.
func anyOf(a, b map[float64]bool) bool {
	for v := range b {
		for w := range a {
			if math.Abs(v-w) < 0.01*math.Max(math.Abs(v), 0.01) {
				return true
			}
		}
	}
	return false
}
