package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"atelier/bot/bottest"
)

// TestReadmeLinks follows every relative link and anchor of every README.md, and looks for
// every Go file that it names in backticks.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	links := 0
	for _, name := range readmes(t) {
		for _, link := range readPage(t, name).links() {
			links++
			if problem := follow(name, link); problem != "" {
				t.Errorf("%s links to %s: %s", name, link, problem)
			}
		}
		for _, file := range readPage(t, name).goFiles() {
			if !existsNear(name, file) {
				t.Errorf("%s names the file %s, which does not exist; write its path from the repository's root or from the README", name, file)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "README.md")
	bottest.Write(t, name, "# A title\n## `x` in 1. Words, and more\n## A title\n```sh\n# no title\n[no](link)\n```\n[a](b.md) ![c](d.png#e)\n")
	if got := readPage(t, name).links(); !slices.Equal(got, []string{"b.md", "d.png#e"}) {
		t.Errorf("the links are %q", got)
	}
	bottest.Write(t, filepath.Join(dir, "a.go"), "package a")
	files := page("`a.go`, `b.go` and `go doc x`\n```sh\n`c.go`\n```\n").goFiles()
	if !slices.Equal(files, []string{"a.go", "b.go"}) || !existsNear(name, files[0]) || existsNear(name, files[1]) {
		t.Errorf("the Go files are %q", files)
	}
	for link, want := range map[string]bool{
		"https://example.org/x#y": true, "README.md": true, "#a-title": true, "#a-title-1": true, "README.md#x-in-1-words-and-more": true, ".": true,
		"gone.md": false, "#a-title-2": false, "#no-title": false, "README.md#A-title": false, ".#a-title": false, "/README.md": false,
	} {
		if problem := follow(name, link); (problem == "") != want {
			t.Errorf("%s: %q", link, problem)
		}
	}
}

// follow returns what is wrong with a link of a page, or "". Links to other sites are not followed.
func follow(name, link string) string {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme != "":
		return ""
	case filepath.IsAbs(u.Path):
		return "it is not relative"
	}
	target := name
	if u.Path != "" {
		target = filepath.Join(filepath.Dir(name), u.Path)
	}
	if _, err := os.Stat(target); err != nil {
		return "there is no such file"
	}
	if u.Fragment == "" {
		return ""
	}
	if filepath.Ext(target) != ".md" {
		return "only pages have anchors"
	}
	b, err := os.ReadFile(target)
	if err != nil {
		return err.Error()
	}
	if !slices.Contains(page(b).anchors(), u.Fragment) {
		return "there is no such heading"
	}
	return ""
}

var linked = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// links returns the targets of a page's links and pictures.
func (p page) links() []string {
	var all []string
	for _, found := range linked.FindAllStringSubmatch(p.prose(), -1) {
		all = append(all, found[1])
	}
	return all
}

var namedGoFile = regexp.MustCompile("`([^`\\s]+\\.go)`")

// goFiles returns the Go files that a page names in backticks.
func (p page) goFiles() []string {
	var all []string
	for _, found := range namedGoFile.FindAllStringSubmatch(p.prose(), -1) {
		all = append(all, found[1])
	}
	return all
}

// existsNear reports whether a file exists at a path relative to the repository's root or to the README
// that names it.
func existsNear(readme, file string) bool {
	return slices.ContainsFunc([]string{"..", filepath.Dir(readme)}, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, file))
		return err == nil
	})
}

// anchors returns GitHub's anchors for a page's headings.
func (p page) anchors() []string {
	var all []string
	times := map[string]int{}
	for line := range strings.Lines(p.prose()) {
		level, title, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || strings.Trim(level, "#") != "" {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, title)
		n := times[anchor]
		times[anchor]++
		if n > 0 {
			anchor = fmt.Sprintf("%s-%d", anchor, n)
		}
		all = append(all, anchor)
	}
	return all
}

// prose returns a page without its fenced blocks.
func (p page) prose() string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(p)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}
