package workshop

import (
	"regexp"
	"strings"

	webpage "atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Braces are what stands around the words of an example that change from request to request.
var Braces = strings.NewReplacer("{", "", "}", "")

// named finds the name of a file in an example: people who try it have another one.
var namedFile = regexp.MustCompile(`\{[^}]*\.[a-z0-9]+\}`)

// Example is a request that a live tool can do with one file, or none, of anybody's.
func Example(s toolbox.Status) (webpage.Example, bool) {
	if !s.Live {
		return webpage.Example{}, false
	}
	var needs []string
	for _, a := range s.Tool.Args {
		if a.Type.Media() && !a.Optional {
			needs = append(needs, string(a.Type))
		} else if a.Many || a.Type != plan.Text || a.Meaning == plan.Content || a.Meaning == plan.Format {
			return webpage.Example{}, false // a text to be brought along, or a format that may not be at hand
		}
	}
	if len(needs) > 1 {
		return webpage.Example{}, false
	}
	for _, e := range s.Tool.Examples {
		switch about := strings.Contains(e, "{this "); {
		case namedFile.MatchString(e):
		case len(needs) == 1 && about:
			return webpage.Example{Wish: Braces.Replace(e), Needs: needs[0]}, true
		case len(needs) == 0 && !about:
			return webpage.Example{Wish: Braces.Replace(e)}, true
		}
	}
	return webpage.Example{}, false
}
