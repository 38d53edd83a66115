package brief

// The estimated tokens of an answer: a base, per task, and per tool or solution.
const (
	answerTokens = 200
	taskTokens   = 120
	lineTokens   = 25

	answerShare = 4 // an answer gets at most 1/answerShare of the context
)

// OutputTokens returns the maximum tokens of an answer with that many tasks and lines, and more
// additional tokens, for a context size in tokens.
func OutputTokens(context, tasks, lines, more int) int {
	return min(answerTokens+taskTokens*tasks+lineTokens*lines+more, context/answerShare)
}
