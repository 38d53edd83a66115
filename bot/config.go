package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"atelier/agent/toolgraph"
)

// Config is what the environment sets. The variables stand in [settings].
type Config struct {
	Data      string
	Catalogue string
	Mind      string
	Strategy  toolgraph.Strategy
	Parallel  int
	FileMB    int64
	Pixels    int64
	Log       slog.Level
	// LogTo is where the log goes; not a variable. Nil is nowhere.
	LogTo io.Writer
}

// setting is one variable of the environment.
type setting struct {
	name  string
	value string // the default
	about string
	set   func(c *Config, value string) error
}

// settings lists every variable, in the order of .env.example.
func settings() []setting {
	return []setting{
		{"ATELIER_DATA", ".atelier", "The folder in which conversations are kept (ask --thread).",
			func(c *Config, v string) error { c.Data = v; return needed(v) }},
		{"ATELIER_CATALOGUE", "", "A folder with tools of your own, one YAML file each, beside the built-in ones.",
			func(c *Config, v string) error { c.Catalogue = v; return folder(v) }},
		{"ATELIER_MIND", "offline", "What understands the wishes: offline, which needs no model.",
			func(c *Config, v string) error { c.Mind = v; return mindName(v) }},
		{"ATELIER_STRATEGY", "best-first", "How the graph of tools is searched: best-first, greedy, beam, adaptive or exhaustive.",
			func(c *Config, v string) (err error) { c.Strategy, err = toolgraph.ParseStrategy(v); return err }},
		{"ATELIER_PARALLEL", "4", "How many steps of a plan run at the same time.",
			func(c *Config, v string) (err error) { c.Parallel, err = number[int](v, 1, 64); return err }},
		{"ATELIER_LOG", "off", "What is logged to the standard error: off, warn (failed steps with their causes) or debug (every step).",
			func(c *Config, v string) (err error) { c.Log, err = logLevel(v); return err }},
		{"ATELIER_MAX_FILE_MB", "100", "The largest file that is taken, in MB.",
			func(c *Config, v string) (err error) { c.FileMB, err = number[int64](v, 1, 10_000); return err }},
		{"ATELIER_MAX_MEGAPIXELS", "64", "The largest picture that is taken, in millions of pixels.",
			func(c *Config, v string) (err error) { c.Pixels, err = number[int64](v, 1, 1000); return err }},
	}
}

// logLevel is the level of that name. Off is above every level.
func logLevel(v string) (slog.Level, error) {
	levels := map[string]slog.Level{"off": slog.LevelError + 100, "warn": slog.LevelWarn, "debug": slog.LevelDebug}
	level, ok := levels[v]
	if !ok {
		return 0, errors.New("off, warn or debug is expected")
	}
	return level, nil
}

func needed(v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("a folder is expected")
	}
	return nil
}

func folder(v string) error {
	if v == "" {
		return nil
	}
	if info, err := os.Stat(v); err != nil || !info.IsDir() {
		return errors.New("a folder that exists is expected")
	}
	return nil
}

func mindName(v string) error {
	if v != "offline" {
		return errors.New("offline is expected")
	}
	return nil
}

func number[T int | int64](v string, least, most T) (T, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < int64(least) || n > int64(most) {
		return 0, fmt.Errorf("a whole number from %d to %d is expected", least, most)
	}
	return T(n), nil
}
