package storage

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxKey is the most bytes that a key may have, and maxPart those of a part of it:
	// file systems take names of 255.
	maxKey  = 512
	maxPart = 200
)

// CheckKey tells why a key cannot name a blob, by an error that is [ErrKey]. Keys are
// parts joined by slashes; a part is UTF-8 that XML and every file system can hold, not
// empty, and does not begin with a dot.
func CheckKey(key string) error {
	bad := func(why string) error { return fmt.Errorf("%w: %q %s", ErrKey, key, why) }
	switch {
	case key == "":
		return bad("is empty")
	case len(key) > maxKey:
		return fmt.Errorf("%w: it has %d bytes, at most %d are taken", ErrKey, len(key), maxKey)
	case !utf8.ValidString(key):
		return bad("is not UTF-8")
	}
	for part := range strings.SplitSeq(key, "/") {
		switch {
		case part == "":
			return bad("has an empty part")
		case strings.HasPrefix(part, "."):
			return bad("has a part that begins with a dot")
		case len(part) > maxPart:
			return bad(fmt.Sprintf("has a part of more than %d bytes", maxPart))
		case strings.ContainsFunc(part, untakeable):
			return bad("holds a character that not every storage takes")
		}
	}
	return nil
}

func untakeable(r rune) bool {
	control := r < ' ' || r >= 0x7f && r < 0xa0
	return control || r == 0xfffe || r == 0xffff || strings.ContainsRune(`\:*?"<>|`, r)
}

// CheckStateKey tells why a key cannot name a value of [State], by an error that is
// [ErrKey]. It is a key of at least two parts, without braces. The first part is its
// group: keys of one group are kept on one server of a cluster, can be listed and are
// deleted together, so that a group is best no more than one request or one thread.
func CheckStateKey(key string) error {
	if err := checkBraceless(key); err != nil {
		return err
	}
	if !strings.Contains(key, "/") {
		return fmt.Errorf("%w: %q has no part after its group", ErrKey, key)
	}
	return nil
}

// CheckGroup tells why a word cannot be a group of keys of [State], or a topic, by an
// error that is [ErrKey]. It is a key of one part, without braces.
func CheckGroup(group string) error {
	if err := checkBraceless(group); err != nil {
		return err
	}
	if strings.Contains(group, "/") {
		return fmt.Errorf("%w: %q has more than the one part of a group", ErrKey, group)
	}
	return nil
}

// checkBraceless refuses what Redis Cluster would take for the part of a key that
// decides where it is kept.
func checkBraceless(key string) error {
	if strings.ContainsAny(key, "{}") {
		return fmt.Errorf("%w: %q holds a brace", ErrKey, key)
	}
	return CheckKey(key)
}

// Group is the group of a key that [CheckStateKey] takes.
func Group(key string) string {
	group, _, _ := strings.Cut(key, "/")
	return group
}

// CheckLink tells why a link cannot live that long.
func CheckLink(expiry time.Duration) error {
	if expiry <= 0 || expiry > MaxLink {
		return fmt.Errorf("a link lives for more than nothing and at most %v, not %v", MaxLink, expiry)
	}
	return nil
}
