// Package summary analyses texts without a language model: summary, title, tags, sentiment and word counts.
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
	// summaryBlock is the maximum number of sentences ranked together; longer texts are first
	// condensed block by block.
	summaryBlock = 400
	// tooAlike is the similarity above which a sentence counts as a repetition.
	tooAlike = 0.6
)

// summarization selects the requested number of sentences, in order: by default about a fifth, one to five.
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

// mostCentral picks the count most central sentences (LexRank), in order, avoiding repetition.
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
	rank[0] *= 1.2 // the first sentence often states the topic
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

// compareFloats compares numbers up to rounding errors, so that the order is the same on every processor.
func compareFloats(a, b float64) int {
	switch {
	case a < b-1e-9:
		return -1
	case a > b+1e-9:
		return 1
	}
	return 0
}

// vector is the TF-IDF vector of a sentence, sorted by word, of length 1.
type vector []entry

type entry struct {
	word   int
	weight float64
}

// dot returns the similarity of two sentences, 0 to 1.
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

// weigh computes the TF-IDF vectors of the sentences.
func weigh(all []string) []vector {
	ids := map[string]int{}
	var within []float64 // document frequency of each word, by sentences
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

// centrality returns the stationary distribution of a random walk between similar sentences (PageRank
// with damping 0.85).
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
