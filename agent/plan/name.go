package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"
)

// Namer makes chained names, like Visual ChatGPT: a name shows what a result is and where it came
// from. "photo-3f2a.edge-91bc.png" is the edge map of the picture "photo-3f2a.jpg". Long chains
// keep the origin and the last two links, with ".." for the omitted ones. Names are unique among
// those that the Namer knows, and contain only letters, digits, '_', '-' and dots.
type Namer struct{ taken map[string]bool }

// NewNamer returns a Namer that knows the existing names.
func NewNamer(existing ...Resource) *Namer {
	n := &Namer{taken: map[string]bool{}}
	for _, r := range existing {
		n.taken[r.Name] = true
	}
	return n
}

// The maximum runes of a file's own name, of an operation, and of a link with its hash.
const maxStem, maxOp, maxLink = 24, 32, 48

// Original returns the name for a user's file: its own name, sanitised, with a short hash of id,
// which should distinguish it from other files of the same name.
func (n *Namer) Original(file, id string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	stem := safe(strings.TrimSuffix(base, ending(base)), maxStem)
	if stem == "" {
		stem = "file"
	}
	return n.unique(stem, id, ending(base))
}

// Derived returns the name for the output of a step with that key: op is the operation or kind of
// result, ext is the file extension with its dot, "" for a small value. The first input gives the
// origin.
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

// chain returns the prefix for a new link: the links of a name, or only the first and the last of
// many.
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

// word shortens the tool name for use in a name: "resize" for resize_image. Tools that make a
// picture from something else keep their whole name, and so does mask_image, which does not make a
// mask.
func word(op string) string {
	verb, ok := strings.CutSuffix(op, "_image")
	if _, err := ParseType(verb); !ok || err == nil || strings.Contains(verb, "_") {
		return op
	}
	return verb
}

// ending returns a file's extension with its dot, "" if the part after the last dot is not one.
// Extensions are short ASCII; links contain a '-'.
func ending(name string) string {
	ext := path.Ext(name)
	if len(ext) < 2 || len(ext) > 9 || strings.ContainsFunc(ext[1:], func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return ""
	}
	return ext
}

// unique appends the shortest hash that makes the name unique.
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

// safe keeps letters, digits and '_', replaces other runes between them by '-', and truncates the
// result to limit runes.
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
