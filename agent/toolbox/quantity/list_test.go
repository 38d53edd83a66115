package quantity_test

import (
	"slices"
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestIntegers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"make icons 16, 32, 180 and 512":          {16, 32, 180, 512},
		"16x16, 32 x 32 and 64×64":                {16, 32, 64},
		"icons at 24px, 48px & 96 pixels, please": {24, 48, 96},
		"3 icons: 16/32/48":                       {16, 32, 48},
		"64":                                      {64},
		"16,32,48":                                {16, 32, 48},
		"800x600":                                 nil,
		"50%":                                     nil,
		"1.5":                                     nil,
		"no number":                               nil,
		"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21": nil,
	} {
		got, ok := quantity.Integers(text)
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("Integers(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
}
