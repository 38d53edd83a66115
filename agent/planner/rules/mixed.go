package rules

import (
	"slices"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// mixesIn matches a wish to add a sound to that of a video: "mix the song in at 20%".
var mixesIn = lazyregexp.New(`(?i)\bmix ((?:the|this|that|my|our|some) )?(music|song|track|audio|sound|tune) in(?:to (?:it|the (?:video|clip)))?\b([^,.;]*)`)

// mixed adds that a video keeps its own sound if another one is mixed in.
func mixed(r plan.Request, text string) string {
	if !slices.ContainsFunc(r.Given, func(f plan.Resource) bool { return f.Type == plan.Video }) {
		return text
	}
	return mixesIn.ReplaceAllString(text, "mix $1$2 into the video$3, keep the original sound")
}
