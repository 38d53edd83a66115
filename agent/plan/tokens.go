package plan

// Tokens is what the tools of a step took of the models that they asked.
type Tokens struct {
	// Calls counts the answers of a model, those that were useless included. A try that
	// the server refused or dropped is not one.
	Calls int `json:"calls"`
	// Input and Output are tokens; both are 0 where the model is not paid by them, as
	// many are not that draw, speak or listen.
	Input  int `json:"input"`
	Output int `json:"output"`
	// Estimated marks counts of a text that the server did not tell.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus is both together.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Calls + u.Calls, t.Input + u.Input, t.Output + u.Output, t.Estimated || u.Estimated}
}

// Sum is the number of tokens both ways.
func (t Tokens) Sum() int { return t.Input + t.Output }
