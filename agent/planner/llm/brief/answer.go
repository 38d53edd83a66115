package brief

// What an answer takes, in tokens: at all, for a task, and for a tool or solution.
const (
	answerTokens = 200
	taskTokens   = 120
	lineTokens   = 25

	answerShare = 4 // the part of the context that an answer may take
)

// OutputTokens is what the answer to a question about so many tasks may take, with so many
// lines in all and more besides, in a context of so many tokens.
func OutputTokens(context, tasks, lines, more int) int {
	return min(answerTokens+taskTokens*tasks+lineTokens*lines+more, context/answerShare)
}
