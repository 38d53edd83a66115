package quantity

import "testing"

// FuzzMayBegin: mayBegin is true wherever a quantity begins.
func FuzzMayBegin(f *testing.F) {
	for _, seed := range []string{
		"a second", "An hour", "half a minute", "halfway", "x2", "x 3", "Twice", "thrice", "doubled", "triple", "quadrupled", "one ev",
		"twenty words", "thirty times", "hours 2", "min 1-2", "secs 3", "ſecs 3", "hourſ 2", "-3 dB", "½", "1/3",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if quantities.MatchString(text) && !mayBegin(text) {
			t.Errorf("%q begins with a quantity", text)
		}
	})
}
