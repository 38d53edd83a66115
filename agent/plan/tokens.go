package plan

// Tokens is the model usage of the tools of a step.
type Tokens struct {
	// Calls counts the answers of models, including useless ones, but not attempts that the server
	// refused or dropped.
	Calls int `json:"calls"`
	// Input and Output are tokens; both are 0 if the model is not billed by tokens, like many that
	// draw, speak or listen.
	Input  int `json:"input"`
	Output int `json:"output"`
	// Estimated means that the server did not report the token counts of a text.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus returns the sum of both.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Calls + u.Calls, t.Input + u.Input, t.Output + u.Output, t.Estimated || u.Estimated}
}

// Sum returns the total number of tokens.
func (t Tokens) Sum() int { return t.Input + t.Output }
