package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/adapters/download"
	"atelier/agent/endpoint"
	"atelier/agent/toolbox/memory"
)

// Validation of values. An error says what is expected, and never repeats the value.

// logLevel returns the level of that name. Off is above all levels.
func logLevel(v string) (slog.Level, error) {
	levels := map[string]slog.Level{"off": slog.LevelError + 100, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug}
	level, ok := levels[v]
	if !ok {
		return 0, errors.New("expected off, warn, info or debug")
	}
	return level, nil
}

func needed(v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("expected a folder")
	}
	return nil
}

func folder(v string) error {
	if v == "" {
		return nil
	}
	if info, err := os.Stat(v); err != nil || !info.IsDir() {
		return errors.New("expected an existing folder")
	}
	return nil
}

func number[T int | int64](v string, least, most T) (T, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < int64(least) || n > int64(most) {
		return 0, fmt.Errorf("expected a whole number from %d to %d", least, most)
	}
	return T(n), nil
}

// budget returns the memory budget for work on media, from the total in MB.
func budget(v string) (*memory.Budget, error) {
	c := memory.Config{Runtime: true}
	if v != "" {
		mb, err := number[int64](v, leastMemory, 1<<30)
		if err != nil {
			return nil, err
		}
		c.Limit = mb * 1_000_000
	}
	return memory.New(c)
}

// leastMemory is enough for the program itself and small pictures, in MB.
const leastMemory = 128

// oneOf checks that the value is one of the words. The first may be empty.
func oneOf(v string, words ...string) (string, error) {
	if slices.Contains(words, v) {
		return v, nil
	}
	named := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	expected := strings.Join(named, ", ")
	if last := len(named) - 1; last > 0 {
		expected = strings.Join(named[:last], ", ") + " or " + named[last]
	}
	if len(named) < len(words) {
		expected += ", or nothing"
	}
	return "", fmt.Errorf("expected %s", expected)
}

func yes(v string) (bool, error) {
	word, err := oneOf(v, "true", "false")
	return word == "true", err
}

// duration parses a time within bounds; errors show the examples.
func duration(v string, least, most time.Duration, examples string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < least || d > most {
		return 0, fmt.Errorf("expected a duration from %s to %s, such as %s", FormatDuration(least), FormatDuration(most), examples)
	}
	return d, nil
}

// FormatDuration formats a duration without zero units: 1h instead of 1h0m0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// word rejects names with spaces.
func word(v string) error {
	if len(v) > 200 || strings.ContainsFunc(v, unprintable) {
		return errors.New("expected a name without spaces")
	}
	return nil
}

// key rejects keys that cannot be sent in a header.
func key(v string) error {
	if strings.ContainsFunc(v, func(r rune) bool { return unprintable(r) || r > unicode.MaxASCII }) {
		return errors.New("it contains spaces, line breaks or characters that no key has; it may not have been copied correctly")
	}
	return nil
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// address checks the URL of a server.
func address(v string) error {
	_, err := endpoint.New(endpoint.Config{BaseURL: v})
	return err
}

// apiVersion checks a version of Azure OpenAI's API.
func apiVersion(v string) error {
	if _, err := endpoint.New(endpoint.Config{BaseURL: "https://name.openai.azure.com", AzureVersion: v}); err != nil {
		return errors.New("expected a date such as 2024-10-21") // the error repeats the value
	}
	return nil
}

// linkHosts parses the hosts of linked files.
func linkHosts(v string) ([]string, error) {
	hosts := strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	if _, err := download.New(download.Config{Hosts: hosts}); err != nil {
		return nil, errors.New("expected hosts such as upload.wikimedia.org or *.example.com, separated by commas")
	}
	return hosts, nil
}
