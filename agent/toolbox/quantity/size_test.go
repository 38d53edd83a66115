package quantity_test

import (
	"slices"
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	wide := func(sides ...int) (all []quantity.Sizing) {
		for _, s := range sides {
			all = append(all, quantity.Sizing{Width: s})
		}
		return all
	}
	high := func(sides ...int) (all []quantity.Sizing) {
		for _, s := range sides {
			all = append(all, quantity.Sizing{Height: s})
		}
		return all
	}
	both := func(sides ...int) (all []quantity.Sizing) {
		for pair := range slices.Chunk(sides, 2) {
			all = append(all, quantity.Sizing{Width: pair[0], Height: pair[1]})
		}
		return all
	}
	for text, want := range map[string][]quantity.Sizing{
		"make this 100, 200 and 400 px wide":       wide(100, 200, 400),
		"resize to 1024x1024, 512x512 and 256x256": both(1024, 1024, 512, 512, 256, 256),
		"1920 x 1080, 1280×720":                    both(1920, 1080, 1280, 720),
		"in 3 sizes: 320, 640 and 1280 wide":       wide(320, 640, 1280),
		"three sizes, 320, 640 and 1280":           wide(320, 640, 1280),
		"heights of 100 and 200 pixels":            high(100, 200),
		"widths 100 / 200":                         wide(100, 200),
		"1080p, 720p and 480p":                     high(1080, 720, 480),
		"100, 200 and 300 px high":                 high(100, 200, 300),
		"100 px wide and 200 px high":              nil,
		"25%, 50% and 75%":                         {{Factor: 0.25}, {Factor: 0.5}, {Factor: 0.75}},
		"25, 50 and 75 percent":                    {{Factor: 0.25}, {Factor: 0.5}, {Factor: 0.75}},
		"a 300x200 and a 600x400 version":          both(300, 200, 600, 400),
		"800x600":                                  nil,
		"640 px wide":                              nil,
		"1,500 px wide":                            nil,
		"800x600, 72 dpi":                          nil,
		"300 px, 2 copies":                         nil,
		"3 sizes: 100 and 200":                     nil,
		"3 sizes":                                  nil,
		"0x10 and 20x20":                           nil,
		"half as large":                            nil,
		"from 0:10 to 0:20":                        nil,
		"1.5 and 2.5":                              nil,
		"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21": nil,
	} {
		got, ok := quantity.Sizes(text)
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("Sizes(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
}
