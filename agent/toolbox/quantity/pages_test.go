package quantity_test

import (
	"slices"
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestPageList(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"page 9": "9", "9": "9", "pages 2 to 4": "2-4", "pages 2-4": "2-4", "pages 1, 3 and 5": "1,3,5",
		"1,3-5": "1,3-5", "every page": "all", "all the pages": "all", "each page": "all", "all": "all", "all 12 pages": "all",
		"the first page": "1", "the last page": "last", "the first 3 pages": "1-3", "the last two pages": "last 2",
		"last 2": "last 2", "the 9th page": "9", "the first and the last page": "1,last", "page 7 onwards": "7-last",
		"from page 3 to the end": "3-last", "the odd pages": "odd", "even": "even", "page two": "2", "p. 4": "4", "7-last": "7-last",
		"all but page 2": "all but 2", "everything except the last page": "all but last", "without pages 2-3": "all but 2-3",
		"all pages but the first": "all but 1", "every page except 2": "all but 2", "page 2 and the last page": "2,last",
		"all but the last page and page 2": "all but last,2", "all but the last 2 pages": "all but last 2", "pages 3,1,2": "3,1,2",
		"the second page": "2", "page number 3": "3", "pages 5 through 9": "5-9",
	} {
		p, ok := quantity.PageList(said)
		if !ok || p.String() != want {
			t.Errorf("%q is %q (%v), want %q", said, p, ok, want)
			continue
		}
		if again, ok := quantity.PageList(p.String()); !ok || again.String() != want {
			t.Errorf("%q reads again as %q", want, again)
		}
	}
	for _, said := range []string{"", "page", "page 0", "blue", "page 99999999", "two pictures", "all but", "without the odd pages"} {
		if p, ok := quantity.PageList(said); ok {
			t.Errorf("%q is %q", said, p)
		}
	}
}

func TestPagesOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said    string
		count   int
		want    []int
		missing int
	}{
		{"all", 3, []int{1, 2, 3}, 0},
		{"2-4", 3, nil, 4},
		{"9", 3, nil, 9},
		{"last", 3, []int{3}, 0},
		{"last 5", 3, []int{1, 2, 3}, 0},
		{"2-last", 3, []int{2, 3}, 0},
		{"5-last", 3, nil, 5},
		{"3-1", 3, []int{3, 2, 1}, 0},
		{"even", 5, []int{2, 4}, 0},
		{"1,3", 3, []int{1, 3}, 0},
		{"all but 2", 3, []int{1, 3}, 0},
		{"all but last", 3, []int{1, 2}, 0},
		{"all but 4", 3, nil, 4},
	} {
		p, ok := quantity.PageList(c.said)
		if got, missing := p.Of(c.count); !ok || !slices.Equal(got, c.want) || missing != c.missing {
			t.Errorf("%q of %d is %v, missing %d; want %v, %d", c.said, c.count, got, missing, c.want, c.missing)
		}
	}
}

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
