package storage

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxKey is the maximum length of a key in bytes, maxPart that of a part: file systems allow
	// names of 255 bytes.
	maxKey  = 512
	maxPart = 200
)

// CheckKey checks whether a key is valid for a blob; the error is an [ErrKey]. Keys are parts
// joined by slashes. A part is UTF-8 text that XML and every file system can represent; it is not
// empty and does not begin with a dot.
func CheckKey(key string) error {
	bad := func(why string) error { return fmt.Errorf("%w: %q %s", ErrKey, key, why) }
	switch {
	case key == "":
		return bad("is empty")
	case len(key) > maxKey:
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrKey, len(key), maxKey)
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
			return bad("contains a character that not every storage supports")
		}
	}
	return nil
}

func untakeable(r rune) bool {
	control := r < ' ' || r >= 0x7f && r < 0xa0
	return control || r == 0xfffe || r == 0xffff || strings.ContainsRune(`\:*?"<>|`, r)
}

// CheckStateKey checks whether a key is valid for [State]; the error is an [ErrKey]. The key must
// have at least two parts and no braces. The first part is its group: keys of a group are on the
// same server of a cluster, can be listed and are deleted together, so a group should not be larger
// than a request or a thread.
func CheckStateKey(key string) error {
	if err := checkBraceless(key); err != nil {
		return err
	}
	if !strings.Contains(key, "/") {
		return fmt.Errorf("%w: %q has nothing after its group", ErrKey, key)
	}
	return nil
}

// CheckGroup checks whether a word is a valid group of keys of [State], or a topic; the error is an
// [ErrKey]. It must be a key with one part and no braces.
func CheckGroup(group string) error {
	if err := checkBraceless(group); err != nil {
		return err
	}
	if strings.Contains(group, "/") {
		return fmt.Errorf("%w: the group %q has more than one part", ErrKey, group)
	}
	return nil
}

// CheckValue returns an error if a value must not be written to a [State].
func CheckValue(key string, value []byte, expiry time.Duration) error {
	if err := CheckStateKey(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(value), MaxValue)
	}
	if expiry < 0 {
		return fmt.Errorf("the expiry %v is negative", expiry)
	}
	return nil
}

// CheckHint returns an error if a hint must not be published to the topic.
func CheckHint(topic string, hint []byte) error {
	if err := CheckGroup(topic); err != nil {
		return err
	}
	if len(hint) == 0 {
		return errors.New("the hint is empty")
	}
	if len(hint) > MaxHint {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(hint), MaxHint)
	}
	return nil
}

// checkBraceless rejects braces, since Redis Cluster takes the text in braces as the part of the
// key that selects the server.
func checkBraceless(key string) error {
	if strings.ContainsAny(key, "{}") {
		return fmt.Errorf("%w: %q contains a brace", ErrKey, key)
	}
	return CheckKey(key)
}

// Group returns the group of a valid key (see [CheckStateKey]).
func Group(key string) string {
	group, _, _ := strings.Cut(key, "/")
	return group
}

// CheckLink checks the expiry of a link.
func CheckLink(expiry time.Duration) error {
	if expiry <= 0 || expiry > MaxLink {
		return fmt.Errorf("the expiry of a link must be positive and at most %v, not %v", MaxLink, expiry)
	}
	return nil
}
