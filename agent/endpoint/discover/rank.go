package discover

import (
	"cmp"

	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/endpoint/family"
	"atelier/agent/lazyregexp"
)

// Model sizes in billions of parameters.
const (
	// leastCapable is the size of the smallest models sold as 7B. Smaller ones are excluded as a
	// precaution: the built-in rules lose less of a request than a tiny model does.
	leastCapable = 6.5
	// mostEasy is about the largest size that fits a GPU with 24 GiB at 4 bits per parameter.
	// Larger models may be too slow for a conversation.
	mostEasy = 33
)

// rank returns the models that can plan, best first: loaded models, since they answer at once, then
// known families, then the largest that fits an ordinary GPU. A model of unknown size is included
// only if it is loaded, of a known family, or the only one.
func rank(models []model, families *family.Families) []model {
	capable := slices.DeleteFunc(slices.Clone(models), func(m model) bool { return !m.capable(families) })
	listed := make([]endpoint.Model, len(capable))
	for i, m := range capable {
		listed[i].Name = m.name
	}
	known := families.Of(family.Chat, listed, time.Time{})
	capable = slices.DeleteFunc(capable, func(m model) bool {
		return !m.loaded && m.billions == 0 && !slices.Contains(known, m.name)
	})
	place := func(m model) int {
		if at := slices.Index(known, m.name); at >= 0 {
			return at
		}
		return len(known)
	}
	slices.SortStableFunc(capable, func(a, b model) int {
		return cmp.Or(first(a.loaded, b.loaded), cmp.Compare(place(a), place(b)), bySize(a.billions, b.billions))
	})
	return capable
}

// capable reports whether nothing indicates that the model cannot plan.
func (m model) capable(families *family.Families) bool {
	tiny := m.billions > 0 && m.billions < leastCapable || m.context > 0 && m.context < leastWindow
	return !m.other && !m.away && !tiny && families.Talks(m.name)
}

// first sorts true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// bySize sorts the largest model that fits an ordinary GPU first; larger ones follow, smallest
// first.
func bySize(a, b float64) int {
	easyA, easyB := a <= mostEasy, b <= mostEasy
	if easyA && easyB {
		return cmp.Compare(b, a)
	}
	return cmp.Or(first(easyA, easyB), cmp.Compare(a, b))
}

// size matches a parameter count in a model name: 8b, 0.5B, 360m, 8x7b.
var size = lazyregexp.New(`(?i)(?:^|[^a-z0-9.])(?:(\d{1,3})x)?(\d{1,5}(?:\.\d{1,3})?)([bm])(?:$|[^a-z0-9])`)

// parametersIn returns the parameter count, in billions, from a model's name; 0 if there is none.
// The largest figure counts: qwen3-30b-a3b has 30, of which 3 are active.
func parametersIn(name string) float64 {
	most := 0.0
	for rest := name; ; {
		at := size.FindStringSubmatchIndex(rest)
		if at == nil {
			return most
		}
		times := ""
		if at[2] >= 0 {
			times = rest[at[2]:at[3]]
		}
		most = max(most, figure(cmp.Or(times, "1"))*billions(rest[at[4]:at[5]], rest[at[6]:at[7]]))
		rest = rest[at[7]:] // the character after it may begin the next
	}
}

// parameters parses Ollama's parameter sizes: 8.2B, 137M, 494.03M.
func parameters(s string) float64 {
	if s == "" {
		return 0
	}
	last := len(s) - 1
	return billions(s[:last], s[last:])
}

func billions(number, unit string) float64 {
	switch strings.ToLower(unit) {
	case "b":
		return figure(number)
	case "m":
		return figure(number) / 1000
	case "t":
		return figure(number) * 1000
	}
	return 0
}

// figure parses a number between 0 and a million; 0 for any other text.
func figure(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0 && f < 1e6) {
		return 0
	}
	return f
}
