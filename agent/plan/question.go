package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Question is a question that Atelier asked back.
type Question struct {
	Text string `json:"text"`
	// Wish is the request that led to the question; the answer completes it.
	Wish string `json:"wish"`
	// Guesses are the guesses offered with it, in the order of their numbers.
	Guesses []string `json:"guesses,omitempty"`
}

const (
	// MaxGuesses is the maximum number of guesses per question.
	MaxGuesses = 4
	// MaxGuess is the maximum length of a guess in bytes: it is the label of a button.
	MaxGuess = 200
)

// Listed returns the question as shown: its text, followed by the numbered guesses.
func (q Question) Listed() string {
	var b strings.Builder
	b.WriteString(q.Text)
	for i, guess := range q.Guesses {
		fmt.Fprintf(&b, "\n%d. %s", i+1, guess)
	}
	return b.String()
}

// Picked returns the guess selected by a text that is only its number: "2", "2.", "#2"; "" if there
// is none.
func (q Question) Picked(text string) string {
	if n := Number(text); n >= 1 && n <= len(q.Guesses) {
		return q.Guesses[n-1]
	}
	return ""
}

// Number returns the number that a text consists of: "2", "2.", "#2" or the keycap 2️⃣; 0 for other texts.
func Number(text string) int {
	text = strings.NewReplacer("\ufe0f", "", "\u20e3", "").Replace(strings.TrimSpace(text))
	text = strings.TrimRight(strings.TrimPrefix(text, "#"), ".)!")
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return max(n, 0)
	}
	return 0
}

// ValidateGuesses checks the guesses of a question: there must not be too many, and none may be
// empty, too long, on several lines or duplicate.
func ValidateGuesses(guesses []string) error {
	var errs []error
	if len(guesses) > MaxGuesses {
		errs = append(errs, fmt.Errorf("there are %d guesses, at most %d are allowed", len(guesses), MaxGuesses))
	}
	for i, guess := range guesses {
		switch {
		case strings.TrimSpace(guess) == "":
			errs = append(errs, fmt.Errorf("guess %d is empty", i+1))
		case len(guess) > MaxGuess:
			errs = append(errs, fmt.Errorf("guess %d has %d bytes, at most %d are allowed", i+1, len(guess), MaxGuess))
		case strings.ContainsFunc(guess, unicode.IsControl):
			errs = append(errs, fmt.Errorf("guess %d is not on one line", i+1))
		case slices.Contains(guesses[:i], guess):
			errs = append(errs, fmt.Errorf("guess %d stands twice", i+1))
		}
	}
	return errors.Join(errs...)
}
