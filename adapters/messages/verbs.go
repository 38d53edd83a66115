package messages

import (
	"fmt"

	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

// verb matches a verb of a format, with the number of its argument.
var verb = lazyregexp.New(`%([-+# 0]*[0-9]*(?:\.[0-9]*)?)(?:\[([1-9][0-9]?)\])?([a-zA-Z%])?`)

// Verbs returns, for each argument of a format, from 1, its flags and verb. An argument may be used twice, but
// only with the same verb.
func Verbs(format string) (map[int]string, error) {
	all := map[int]string{}
	next := 1
	for _, found := range verb.FindAllStringSubmatch(format, -1) {
		flags, number, letter := found[1], found[2], found[3]
		switch {
		case letter == "%" && flags+number == "":
			continue
		case letter == "" || letter == "%":
			return nil, fmt.Errorf("%q is not a verb", found[0])
		}
		if number != "" {
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", found[0], err)
			}
			next = n
		}
		written := flags + strings.ToLower(letter)
		if letter == "v" { // for a text; a number would differ between languages
			written = flags + "s"
		}
		if before, ok := all[next]; ok && before != written {
			return nil, fmt.Errorf("argument %d has two different verbs", next)
		}
		all[next] = written
		next++
	}
	return all, nil
}
