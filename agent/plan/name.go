package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"
)

// Namer makes chained names, in the manner of Visual ChatGPT: a result's name tells
// what it is and where it came from. "photo-3f2a.edge-91bc.png" is the edge map of
// the picture "photo-3f2a.jpg". Of long chains the origin and the last two links
// stay, with ".." where links were left out. Names are unique among those that the
// Namer knows, and hold nothing but letters, digits, '_', '-' and dots.
type Namer struct{ taken map[string]bool }

// NewNamer knows the names that exist already.
func NewNamer(existing ...Resource) *Namer {
	n := &Namer{taken: map[string]bool{}}
	for _, r := range existing {
		n.taken[r.Name] = true
	}
	return n
}

// The most runes of a file's own name, of an operation, and of a link with its hash.
const maxStem, maxOp, maxLink = 24, 32, 48

// Original names a file that a person gave: its own name made safe, with a short
// hash of id, which should tell this file from others of the same name.
func (n *Namer) Original(file, id string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	stem := safe(strings.TrimSuffix(base, ending(base)), maxStem)
	if stem == "" {
		stem = "file"
	}
	return n.unique(stem, id, ending(base))
}

// Derived names what a step of that key made from the named inputs: op tells the
// operation or kind of result, ext is the new file's ending with its dot, "" for a
// small value. The first input gives the origin.
func (n *Namer) Derived(op, key, ext string, inputs ...string) string {
	stem := safe(word(op), maxOp)
	if stem == "" {
		stem = "result"
	}
	for _, in := range inputs {
		if c := chain(in); c != "" {
			stem = c + "." + stem
			break
		}
	}
	return n.unique(stem, key, ending(ext))
}

// chain is what a new link is put to: the links of a name, of many the first and the last.
func chain(name string) string {
	var links []string
	for l := range strings.SplitSeq(strings.TrimSuffix(name, ending(name)), ".") {
		if l = safe(l, maxLink); l != "" {
			links = append(links, l)
		}
	}
	if len(links) > 2 {
		return links[0] + ".." + links[len(links)-1]
	}
	return strings.Join(links, ".")
}

// word is the operation as it reads best in a name: "resize" for the tool
// resize_image. What makes a picture of something else keeps its whole name, and so
// does mask_image, which makes no mask.
func word(op string) string {
	verb, ok := strings.CutSuffix(op, "_image")
	if _, err := ParseType(verb); !ok || err == nil || strings.Contains(verb, "_") {
		return op
	}
	return verb
}

// ending is a file's ending with its dot, "" if what follows the last dot is none: an
// ending is short and plain, while a link holds a '-'.
func ending(name string) string {
	ext := path.Ext(name)
	if len(ext) < 2 || len(ext) > 9 || strings.ContainsFunc(ext[1:], func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return ""
	}
	return ext
}

// unique appends as much of a hash as tells the name from the others.
func (n *Namer) unique(stem, id, ext string) string {
	sum := sha256.Sum256([]byte(id))
	for salt := byte(0); ; salt++ {
		h := hex.EncodeToString(sum[:])
		for digits := 4; digits <= 16; digits += 4 {
			name := stem + "-" + h[:digits] + strings.ToLower(ext)
			if !n.taken[name] {
				n.taken[name] = true
				return name
			}
		}
		sum = sha256.Sum256(append(sum[:], salt))
	}
}

// safe keeps letters, digits and '_' of a name, with a '-' where something else stood
// between them, at most limit runes.
func safe(s string, limit int) string {
	var kept []rune
	gap := true
	for _, r := range s {
		if len(kept) >= limit {
			break
		}
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && (gap || !unicode.IsMark(r)) {
			gap = true
			continue
		}
		if gap && len(kept) > 0 {
			kept = append(kept, '-')
		}
		gap = false
		kept = append(kept, unicode.ToLower(r))
	}
	return strings.TrimRight(string(kept[:min(limit, len(kept))]), "-")
}
