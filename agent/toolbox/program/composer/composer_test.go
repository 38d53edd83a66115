package composer

import (
	"strings"
	"testing"
)

func TestTheSameWordsGiveTheSamePiece(t *testing.T) {
	t.Parallel()
	first := compose(t, "a happy tune", 1)
	if again := compose(t, "A happy tune!", 1); first.ABC != again.ABC {
		t.Error("the same words gave another piece")
	}
	if other := compose(t, "a happy tune", 2); first.ABC == other.ABC {
		t.Error("another seed gave the same piece")
	}
	if strings.Contains(first.ABC, "happy") {
		t.Error("the words stand in the piece")
	}
}

func compose(t *testing.T, words string, seed int64) Piece {
	t.Helper()
	p, err := Compose(words, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
