package bottest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Object is a JSON object of an answer.
type Object map[string]any

// Generated is the name of what a subtask makes.
func Generated(i int) string { return "<GENERATED>-" + strconv.Itoa(i) }

var (
	madeFile = regexp.MustCompile(`"file":"([^"]+)"`)
	toldMark = regexp.MustCompile(`\[\[told \d+\]\]`)
)

// Respond names the files of the record, and what the answer must tell.
func Respond(record string) string {
	var names []string
	for _, m := range madeFile.FindAllStringSubmatch(record, -1) {
		names = append(names, m[1])
	}
	return fmt.Sprintf("This is what came of it: %s. %s", strings.Join(names, ", "), strings.Join(toldMark.FindAllString(record, -1), " "))
}
