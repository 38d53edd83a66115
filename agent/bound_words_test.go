package agent

import (
	"testing"

	"atelier/agent/toolbox/retrieve"
)

func TestAQuantityThatSaysWhichFileIsMeant(t *testing.T) {
	t.Parallel()
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	o := leftovers{lexicon: lexicon}
	for rest, want := range map[string]bool{
		" clip, please": true, "-film": true, " track": true, " song": true, " photo.": true, " pictures": true,
		"": false, " ": false, " of the clip": false, " long": false, ", clip.mp4": false, " from clip.mp4": false,
	} {
		if got := o.describes(rest); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}
