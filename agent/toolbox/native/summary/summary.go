// Package summary tells what a text says, without a language model: a summary, a title, tags, its mood and
// its length.
package summary

import (
	"context"
	"math"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

const (
	// summaryBlock is how many sentences are weighed against each other at once;
	// longer texts are condensed block by block first.
	summaryBlock = 400
	// tooAlike is the similarity from which a sentence repeats a chosen one.
	tooAlike = 0.6
)

// summarization keeps as many sentences as are asked for, in their order: by default about a fifth, one to five.
func summarization(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("summarise"))
	if err != nil {
		return toolbox.Output{}, err
	}
	all := prose.Sentences(text)
	count, asked := toolbox.Param[int](c, "sentences")
	if !asked && len(all) <= 2 || asked && len(all) <= count {
		return toolbox.Output{
			Value: strings.Join(all, " "),
			About: plan.Say("the text as it is"),
			Note:  plan.Say("The text is too short to summarise, so it is left as it is."),
		}, nil
	}
	for len(all) > summaryBlock {
		var kept []string
		for block := range slices.Chunk(all, summaryBlock) {
			if err := ctx.Err(); err != nil {
				return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The summary was stopped."), Err: err}
			}
			kept = append(kept, mostCentral(block, (len(block)+4)/5)...)
		}
		all = kept
	}
	if !asked {
		count = min(max(int(math.Round(float64(len(all))/5)), 1), 5)
	}
	return toolbox.Output{Value: strings.Join(mostCentral(all, count), " "), About: plan.Say("a summary")}, nil
}

// mostCentral picks the count sentences that say most of what the others say
// (LexRank), without repeating one another, in their order.
func mostCentral(all []string, count int) []string {
	vectors := weigh(all)
	rank := centrality(vectors)
	for i, s := range all {
		switch n := len(prose.Tokens(s)); {
		case n < 4:
			rank[i] *= 0.5 // headings and exclamations
		case n > 45:
			rank[i] *= 0.8
		}
	}
	rank[0] *= 1.2 // texts tend to begin with what they are about
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compareFloats(rank[b], rank[a])
	})
	var chosen, repeats []int
	for _, i := range order {
		if slices.ContainsFunc(chosen, func(j int) bool { return vectors[i].dot(vectors[j]) > tooAlike }) {
			repeats = append(repeats, i)
			continue
		}
		chosen = append(chosen, i)
	}
	chosen = append(chosen, repeats...)[:min(count, len(all))]
	slices.Sort(chosen)
	picked := make([]string, len(chosen))
	for k, i := range chosen {
		picked[k] = all[i]
	}
	return picked
}

// compareFloats orders numbers that differ by more than rounding, so that the order
// does not hang on how a processor adds.
func compareFloats(a, b float64) int {
	switch {
	case a < b-1e-9:
		return -1
	case a > b+1e-9:
		return 1
	}
	return 0
}

// vector is a sentence as the weights of its words, sorted by word, of length 1.
type vector []entry

type entry struct {
	word   int
	weight float64
}

// dot is the similarity of two sentences, 0 to 1.
func (v vector) dot(w vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(v) && j < len(w); {
		switch {
		case v[i].word < w[j].word:
			i++
		case v[i].word > w[j].word:
			j++
		default:
			sum += v[i].weight * w[j].weight
			i++
			j++
		}
	}
	return sum
}

// weigh makes the vectors of sentences by term frequency and rareness.
func weigh(all []string) []vector {
	ids := map[string]int{}
	var within []float64 // in how many sentences each word stands
	vectors := make([]vector, len(all))
	for i, s := range all {
		counts := map[int]float64{}
		for _, t := range prose.Tokens(s) {
			w := t.Lower()
			if prose.IsStop(w) {
				continue
			}
			w = prose.Stem(w)
			id, known := ids[w]
			if !known {
				id = len(ids)
				ids[w] = id
				within = append(within, 0)
			}
			if counts[id] == 0 {
				within[id]++
			}
			counts[id]++
		}
		for id, n := range counts {
			vectors[i] = append(vectors[i], entry{id, n})
		}
		slices.SortFunc(vectors[i], func(a, b entry) int { return a.word - b.word })
	}
	for _, v := range vectors {
		var square float64
		for k := range v {
			v[k].weight *= math.Log(1 + float64(len(all))/within[v[k].word])
			square += v[k].weight * v[k].weight
		}
		for k := range v {
			v[k].weight /= math.Sqrt(square)
		}
	}
	return vectors
}

// centrality is the stationary probability of a walk from sentence to similar
// sentence that starts anew with a chance of 0.15 at each step.
func centrality(vectors []vector) []float64 {
	n := len(vectors)
	similar := make([][]float64, n)
	for i := range similar {
		similar[i] = make([]float64, n)
	}
	for i := range n {
		for j := range i {
			s := vectors[i].dot(vectors[j])
			similar[i][j], similar[j][i] = s, s
		}
	}
	for _, row := range similar {
		var sum float64
		for _, s := range row {
			sum += s
		}
		for j := range row {
			if sum == 0 {
				row[j] = 1 / float64(n)
			} else {
				row[j] /= sum
			}
		}
	}
	rank := make([]float64, n)
	for i := range rank {
		rank[i] = 1 / float64(n)
	}
	for range 30 {
		next := make([]float64, n)
		for i, row := range similar {
			for j, s := range row {
				next[j] += 0.85 * rank[i] * s
			}
		}
		for j := range next {
			next[j] += 0.15 / float64(n)
		}
		rank = next
	}
	return rank
}
