// Package lazyregexp compiles regular expressions on first use. A sandboxed run starts this program
// again and needs none of them.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp returns a regular expression, which it compiles once. It is safe for concurrent use.
type Regexp func() *regexp.Regexp

// New is for package variables. Like [regexp.MustCompile], an invalid expression panics, but on
// first use.
func New(expr string) Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// String is like [regexp.Regexp.String].
func (r Regexp) String() string { return r().String() }

// MatchString is like [regexp.Regexp.MatchString].
func (r Regexp) MatchString(s string) bool { return r().MatchString(s) }

// FindString is like [regexp.Regexp.FindString].
func (r Regexp) FindString(s string) string { return r().FindString(s) }

// FindStringIndex is like [regexp.Regexp.FindStringIndex].
func (r Regexp) FindStringIndex(s string) []int { return r().FindStringIndex(s) }

// FindStringSubmatch is like [regexp.Regexp.FindStringSubmatch].
func (r Regexp) FindStringSubmatch(s string) []string { return r().FindStringSubmatch(s) }

// FindStringSubmatchIndex is like [regexp.Regexp.FindStringSubmatchIndex].
func (r Regexp) FindStringSubmatchIndex(s string) []int { return r().FindStringSubmatchIndex(s) }

// FindAllString is like [regexp.Regexp.FindAllString].
func (r Regexp) FindAllString(s string, n int) []string { return r().FindAllString(s, n) }

// FindAllStringIndex is like [regexp.Regexp.FindAllStringIndex].
func (r Regexp) FindAllStringIndex(s string, n int) [][]int { return r().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is like [regexp.Regexp.FindAllStringSubmatch].
func (r Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is like [regexp.Regexp.FindAllStringSubmatchIndex].
func (r Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is like [regexp.Regexp.ReplaceAllString].
func (r Regexp) ReplaceAllString(s, by string) string { return r().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is like [regexp.Regexp.ReplaceAllStringFunc].
func (r Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r().ReplaceAllStringFunc(s, by)
}

// Split is like [regexp.Regexp.Split].
func (r Regexp) Split(s string, n int) []string { return r().Split(s, n) }
