package quantity_test

import (
	"testing"

	"atelier/agent/toolbox/quantity"
)

func TestFindPages(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"pages 3-5 and 9", "page 2", "pages 1, 3 and 5", "page 2 and the last page", "the last page and page 2", "every page except the first",
		"all pages but the first", "all but the last 2 pages", "pages 2 to 4 and 7", "every page", "first 3 pages",
	} {
		text := "rotate " + said + " by 90 degrees"
		if start, end := quantity.FindPages(text); text[start:end] != said {
			t.Errorf("in %q it finds %q", text, text[start:end])
		}
	}
}
