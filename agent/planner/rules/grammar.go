package rules

import (
	"atelier/agent/toolbox/retrieve"
)

// grammar is general English: what words are, whatever the tools.
type grammar struct {
	*english

	lexicon *retrieve.Lexicon
	verbs   set // words that an order may begin with
}
