package messages

import "golang.org/x/text/language"

// longestAccept is the maximum length of an Accept-Language header, in bytes. Browsers send less.
const longestAccept = 200

// spoken matches the program's languages, whose BCP 47 tags are tags.
var (
	spoken = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})
	tags   = []string{English, SimplifiedChinese}
)

// Accept returns the BCP 47 tag of the program's language that a browser prefers by its Accept-Language header;
// English if the header is of no use.
func Accept(header string) string {
	if len(header) > longestAccept {
		return English
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return English
	}
	_, i, _ := spoken.Match(wanted...)
	return tags[i]
}
