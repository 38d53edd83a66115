package messages

import (
	"fmt"

	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
)

// verb finds the verbs of a format, with the number of their argument.
var verb = lazyregexp.New(`%([-+# 0]*[0-9]*(?:\.[0-9]*)?)(?:\[([1-9][0-9]?)\])?([a-zA-Z%])?`)

// Verbs tells which arguments, from 1, a format has, and with which flags and verb each of
// them is written. An argument may be written twice, but only in one way.
func Verbs(format string) (map[int]string, error) {
	all := map[int]string{}
	next := 1
	for _, found := range verb.FindAllStringSubmatch(format, -1) {
		flags, number, letter := found[1], found[2], found[3]
		switch {
		case letter == "%" && flags+number == "":
			continue
		case letter == "" || letter == "%":
			return nil, fmt.Errorf("%q is no verb", found[0])
		}
		if number != "" {
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", found[0], err)
			}
			next = n
		}
		written := flags + strings.ToLower(letter)
		if letter == "v" { // of a text; of a number it would be another in another language
			written = flags + "s"
		}
		if before, ok := all[next]; ok && before != written {
			return nil, fmt.Errorf("argument %d is written in two ways", next)
		}
		all[next] = written
		next++
	}
	return all, nil
}
