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

// Sizes in billions of parameters.
const (
	// leastCapable is the size of the smallest models that are called 7B. Smaller ones are left
	// out for caution: the built-in rules lose less of a request than a tiny model does.
	leastCapable = 6.5
	// mostEasy is about what one GPU with 24 GiB holds with 4 bits a parameter. Larger models
	// may be too slow for a conversation.
	mostEasy = 33
)

// rank lists the models that can plan, best first: those that are loaded, since they answer
// at once, then those of a known family, then the largest that an ordinary GPU holds. Models
// of unknown size count where they are loaded, of a known family, or the only one.
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

// capable reports whether nothing says that a model cannot plan.
func (m model) capable(families *family.Families) bool {
	tiny := m.billions > 0 && m.billions < leastCapable || m.context > 0 && m.context < leastWindow
	return !m.other && !m.away && !tiny && families.Talks(m.name)
}

// first orders what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// bySize orders by size: the largest that is easy first, then the others from small to large.
func bySize(a, b float64) int {
	easyA, easyB := a <= mostEasy, b <= mostEasy
	if easyA && easyB {
		return cmp.Compare(b, a)
	}
	return cmp.Or(first(easyA, easyB), cmp.Compare(a, b))
}

// size is how names say how many parameters a model has: 8b, 0.5B, 360m, 8x7b.
var size = lazyregexp.New(`(?i)(?:^|[^a-z0-9.])(?:(\d{1,3})x)?(\d{1,5}(?:\.\d{1,3})?)([bm])(?:$|[^a-z0-9])`)

// parametersIn finds in a name how many billions of parameters the model has; 0 where it does
// not tell. Of several figures the largest counts: qwen3-30b-a3b has 30, of which 3 are active.
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
		rest = rest[at[7]:] // the sign behind it may begin the next
	}
}

// parameters reads how Ollama says it: 8.2B, 137M, 494.03M.
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
