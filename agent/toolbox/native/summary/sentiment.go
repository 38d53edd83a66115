package summary

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/jonreiter/govader"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

// vader is the analyser with its lexicon, which is slow to load.
var vader = sync.OnceValue(govader.NewSentimentIntensityAnalyzer)

// sentimentAnalysis describes the mood of a text in a sentence.
func sentimentAnalysis(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("judge the mood of"))
	if err != nil {
		return toolbox.Output{}, err
	}
	score, err := polarity(ctx, text)
	if err != nil {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The analysis was stopped."), Err: err}
	}
	sounds := "neutral"
	switch {
	case score >= 0.6:
		sounds = "very positive"
	case score >= 0.05:
		sounds = "positive"
	case score <= -0.6:
		sounds = "very negative"
	case score <= -0.05:
		sounds = "negative"
	}
	return toolbox.Output{
		Value: fmt.Sprintf("The text sounds %s (%.2f on a scale from -1 to 1).", sounds, score),
		About: plan.Say("the sentiment of the text"),
	}, nil
}

// polarity returns the mean score of the sentences, since VADER's scale is made for single sentences
// and saturates on longer texts. Neutral sentences have less weight: a review is not neutral because
// it also gives the shop's address.
func polarity(ctx context.Context, text string) (float64, error) {
	var sum, weight float64
	for _, s := range prose.Sentences(text) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		v := vader().PolarityScores(strings.ReplaceAll(s, "’", "'")).Compound
		w := 0.25 + math.Abs(v)
		sum += w * v
		weight += w
	}
	if weight == 0 {
		return 0, nil
	}
	return math.Round(100*sum/weight)/100 + 0, nil
}
