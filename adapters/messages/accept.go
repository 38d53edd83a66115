package messages

import "golang.org/x/text/language"

// longestAccept is how much of an Accept-Language is looked at, in bytes. Browsers say less.
const longestAccept = 200

// spoken are the languages of the program, and tags their BCP 47 tags.
var (
	spoken = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})
	tags   = []string{English, SimplifiedChinese}
)

// Accept is the BCP 47 tag of the language, of those that the program speaks, that a browser
// prefers by its header Accept-Language: English where that says nothing of use.
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
