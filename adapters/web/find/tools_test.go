package find

import (
	"strings"
	"testing"

	"atelier/adapters/web/page"
)

// TestTools finds tools by prefixes of words in any of their texts.
func TestTools(t *testing.T) {
	t.Parallel()
	all := []page.Tool{
		{Name: "edge_detection", Domain: "image-perception", Description: "Finds the edges in a picture.", Examples: []string{"把边缘画出来"}},
		{Name: "mask_image", Domain: "image-processing", Description: "Keeps what lies under a mask."},
		{Name: "noise", Domain: "audio", Description: "Makes noise out of nothing."},
	}
	for typed, want := range map[string]string{
		"": "edge_detection mask_image noise", "ask": "", "mask": "mask_image", "pic edge": "edge_detection", "edge_det": "edge_detection", "缘画": "edge_detection",
		"AUDIO": "noise", "<script>": "", "?!": "", "\xff\x00": "", " ": "edge_detection mask_image noise", strings.Repeat("x", 10_000): "", "image \xff": "mask_image edge_detection",
	} {
		var got []string
		for _, tool := range Tools(all, typed) {
			got = append(got, tool.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.20q finds %q", typed, got)
		}
	}
}

// TestToolsAreRanked: a word in the name counts more than one in the description, and that more than in examples.
func TestToolsAreRanked(t *testing.T) {
	t.Parallel()
	all := []page.Tool{
		{Name: "annotate", Description: "Writes on a picture.", Examples: []string{"write on it in black", "label it", "draw a line"}},
		{Name: "greyscale", Description: "Takes the colours out.", Examples: []string{"make it black and white", "turn it grey"}},
		{Name: "invert", Description: "Turns white to black."},
		{Name: "blackout", Description: "Paints over a picture."},
		{Name: "crop_black_bars", Description: "Cuts off the bars."},
	}
	var got []string
	for _, tool := range Tools(all, "black") {
		got = append(got, tool.Name)
	}
	if want := "crop_black_bars blackout invert greyscale annotate"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}
