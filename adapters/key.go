package adapters

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// longestKey is the maximum length in bytes of a key part that every storage accepts.
const longestKey = 160

// key joins platform ids to one word, without collisions. It holds only ASCII letters, digits and "._-~=". A key
// that would be too long is replaced by its hash.
func key(name string, ids ...string) string {
	var b strings.Builder
	escape(&b, name)
	for _, id := range ids {
		b.WriteByte('~')
		escape(&b, id)
	}
	if b.Len() <= longestKey {
		return b.String()
	}
	sum := sha256.Sum256([]byte(b.String()))
	return "==" + hex.EncodeToString(sum[:]) // nothing above writes "=="
}

func escape(b *strings.Builder, id string) {
	for i := range len(id) {
		switch c := id[i]; {
		case isWord(c), c == '_', c == '-', c == '.' && b.Len() > 0: // no key begins with a dot
			b.WriteByte(c)
		default:
			fmt.Fprintf(b, "=%02X", c)
		}
	}
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
