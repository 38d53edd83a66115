package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Question is what Atelier asked back when it was not sure.
type Question struct {
	Text string `json:"text"`
	// Wish is the request that led to the question: the answer completes it.
	Wish string `json:"wish"`
	// Guesses are those that were offered with it, in the order of their numbers.
	Guesses []string `json:"guesses,omitempty"`
}

const (
	// MaxGuesses is the most guesses of a question.
	MaxGuesses = 4
	// MaxGuess is the most bytes of a guess: people read it on a button.
	MaxGuess = 200
)

// Listed is the question as people read it: its text, and below it the guesses with their numbers.
func (q Question) Listed() string {
	var b strings.Builder
	b.WriteString(q.Text)
	for i, guess := range q.Guesses {
		fmt.Fprintf(&b, "\n%d. %s", i+1, guess)
	}
	return b.String()
}

// Picked is the guess whose number a text is, and nothing else: "2", "2.", "#2". It is "" if
// there is none.
func (q Question) Picked(text string) string {
	number := strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(text), "#"), ".)!")
	for i, guess := range q.Guesses {
		if number == strconv.Itoa(i+1) {
			return guess
		}
	}
	return ""
}

// ValidateGuesses tells what is wrong with the guesses of a question: too many, one that is
// empty, too long or not on one line, or one that stands twice.
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
