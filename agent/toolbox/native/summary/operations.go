package summary

import (
	"atelier/agent/toolbox/native/operation"
)

// Operations returns the operations of this package by the names that backings use.
func Operations() map[string]operation.Func {
	return map[string]operation.Func{
		"count_words":        countWords,
		"sentiment_analysis": sentimentAnalysis,
		"summarization":      summarization,
		"text_to_tags":       textToTags,
		"title_generation":   titleGeneration,
	}
}
