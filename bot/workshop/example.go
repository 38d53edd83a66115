package workshop

import (
	"regexp"
	"strings"

	webpage "atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Braces removes the braces around the variable words of an example.
var Braces = strings.NewReplacer("{", "", "}", "")

// namedFile matches a file name in an example, since people who try it have another file.
var namedFile = regexp.MustCompile(`\{[^}]*\.[a-z0-9]+\}`)

// Example returns a request that the tool can do, if it is available and needs at most one file.
func Example(s toolbox.Status) (webpage.Example, bool) {
	if !s.Live {
		return webpage.Example{}, false
	}
	var needs []string
	for _, a := range s.Tool.Args {
		if a.Type.Media() && !a.Optional {
			needs = append(needs, string(a.Type))
		} else if a.Many || a.Type != plan.Text || a.Meaning == plan.Content || a.Meaning == plan.Format {
			return webpage.Example{}, false // needs a text, or a format that people may not have
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
