package hftask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// maxClasses is how many labels of an answer are kept.
const maxClasses = 20

// errNothing is returned if the model finds nothing.
var errNothing = &plan.Fault{Sentence: plan.Say("The model found nothing that matches.")}

// label is one label of a classifier's answer.
type label struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}

// classes reads a classification, sorted by descending score.
func classes(ctx context.Context, body []byte) ([]plan.Class, error) {
	labels, err := entries[label](ctx, body)
	if err != nil {
		return nil, err
	}
	all := make([]plan.Class, 0, len(labels))
	for _, l := range labels {
		if l.Label == nil || l.Score == nil || toolbox.OneLine(*l.Label) == "" {
			return nil, unreadable(errors.New("a label has no name or no score"))
		}
		all = append(all, plan.Class{Label: toolbox.Shorten(strings.ToValidUTF8(*l.Label, "")), Score: clampScore(*l.Score)})
	}
	if len(all) == 0 {
		return nil, errNothing
	}
	slices.SortStableFunc(all, func(a, b plan.Class) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), maxClasses)], nil
}

// clampScore clamps a score to 0…1 and rounds it to four decimals; NaN is 0.
func clampScore(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return math.Round(1e4*min(max(score, 0), 1)) / 1e4
}

// readClasses reads a classification.
func readClasses(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	all, err := classes(ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	return classified(all)
}

// classified returns a classification as an output.
func classified(all []plan.Class) (toolbox.Output, error) {
	value, err := plan.EncodeValue(all)
	return toolbox.Output{Value: value, About: plan.Quote(all[0].Label)}, err
}

// moods maps sentiment labels to adjectives. Other labels are star ratings or emotions.
var moods = map[string]string{
	"positive": "positive", "pos": "positive", "negative": "negative", "neg": "negative", "neutral": "neutral", "neu": "neutral", "mixed": "mixed",
}

// readMood describes the most likely sentiment in a sentence.
func readMood(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	all, err := classes(ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	best := all[0]
	name := strings.ToLower(best.Label)
	if strings.HasPrefix(name, "label_") {
		return toolbox.Output{}, unreadable(errors.New("the model's labels have no names"))
	}
	words := fmt.Sprintf("The mood of the text: %s (%.0f%% sure).", name, 100*best.Score)
	if mood, ok := moods[name]; ok {
		words = fmt.Sprintf("The text sounds %s (%.0f%% sure).", mood, 100*best.Score)
	}
	return toolbox.Output{Value: words, About: plan.Say("the sentiment of the text")}, nil
}
