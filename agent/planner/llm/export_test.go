package llm

// Tokens is the estimate of the budgets, for the tests from outside.
func Tokens(s string) int { return tokens(s) }
