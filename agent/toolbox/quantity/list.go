package quantity

import (
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

// mostListed is the maximum length of a list.
const mostListed = 20

const (
	listedNumber = `\d{1,6}(?: ?[x×] ?\d{1,6})?(?: ?(?:px|pixels?)\b)?`
	numberAnd    = `(?: ?, ?(?:and |or )?| and | or | ?& ?| ?\+ ?| ?/ ?)`
)

var (
	numberList = lazyregexp.New(`(?:^|[^\w.,:-])(` + listedNumber + `(?:` + numberAnd + listedNumber + `)*)(?:$|[^\w%:.]|\.(?:\D|$))`)
	inList     = lazyregexp.New(`(\d+)(?: ?[x×] ?(\d+))?`)
)

// FindIntegers returns the byte range of the longest list of integers in a text: "16, 32 and 64 px",
// "16x16, 32x32". It returns zeros if there is none.
func FindIntegers(text string) (start, end int) {
	s := strings.ToLower(text)
	if len(s) != len(text) {
		return 0, 0
	}
	most := 0
	for _, at := range numberList.FindAllStringSubmatchIndex(s, -1) {
		if n := len(inList.FindAllString(s[at[2]:at[3]], -1)); n > most {
			start, end, most = at[2], at[3], n
		}
	}
	return start, end
}

// Integers parses a list of integers. A square counts as its side: "32x32" is 32.
func Integers(text string) ([]int, bool) {
	start, end := FindIntegers(text)
	var all []int
	for _, m := range inList.FindAllStringSubmatch(strings.ToLower(text)[start:end], -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || m[2] != "" && m[2] != m[1] {
			return nil, false
		}
		all = append(all, n)
	}
	return all, len(all) > 0 && len(all) <= mostListed
}
