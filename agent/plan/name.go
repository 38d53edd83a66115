package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
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

// The maximum runes of a file name without its extension, of the suffix in it, and of a name made
// from words instead of a file name.
const maxFileStem, maxSuffix, maxWords = 48, 24, 32

// maxOrigin is how many bytes of an origin are used.
const maxOrigin = 400

// FileName returns a readable name for a file made from another one: "photo-edges.png" for the
// origin "photo.jpg", the suffix "edges" and the extension ".png". An origin without a file
// extension is taken as words, which are shortened. The result is deterministic, contains only
// letters, digits, '_', '-' and dots between digits, and is safe on every platform. It need not be
// unique: see [Numbered].
func FileName(origin, suffix, ext string) string {
	if len(origin) > maxOrigin {
		origin = strings.ToValidUTF8(origin[:maxOrigin], "")
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(origin, ending(origin)), ".")
	if stem == origin {
		stem = shortened(slug(strings.ToLower(leaveOut(origin, smallWords))), maxWords)
	} else {
		stem = slug(stem)
	}
	suffix = shortened(slug(strings.ToLower(leaveOut(suffix, slices.Concat(smallWords, orderWords)))), maxSuffix)
	if suffix == "" || suffix == stem || strings.HasSuffix(stem, "-"+suffix) {
		stem = shortened(stem, maxFileStem)
	} else {
		stem = strings.Trim(shortened(stem, maxFileStem-1-len([]rune(suffix)))+"-"+suffix, "-")
	}
	if stem == "" || slices.Contains(reserved, strings.ToLower(stem)) {
		stem = strings.Trim(stem+"-file", "-")
	}
	return stem + strings.ToLower(ending(ext))
}

// Numbered returns the name of the nth file with that name: "photo-edges-2.png".
func Numbered(file string, n int) string {
	ext := ending(file)
	return strings.TrimSuffix(file, ext) + "-" + strconv.Itoa(n) + ext
}

// reserved are the file names that Windows forbids, whatever the extension.
var reserved = []string{
	"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// smallWords carry no meaning in a file name.
var smallWords = []string{"a", "an", "the", "to", "till", "until", "from", "at", "of", "by", "is"}

// orderWords carry no meaning in a suffix that is a person's request: "make it faster".
var orderWords = []string{"make", "play", "it", "this", "them", "please"}

// leaveOut removes words without meaning, unless nothing would be left.
func leaveOut(s string, nothing []string) string {
	words := slices.DeleteFunc(strings.Fields(s), func(w string) bool { return slices.Contains(nothing, strings.ToLower(w)) })
	if len(words) == 0 {
		return s
	}
	return strings.Join(words, " ")
}

// slug converts a text for use in a file name: "0m03-0m07" for "0:03-0:07", "50-percent" for "50%".
func slug(s string) string {
	runes := []rune(strings.ReplaceAll(s, "%", " percent"))
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	var b strings.Builder
	gap := false
	for i, r := range runes {
		between := digit(i-1) && digit(i+1)
		switch {
		case r == ':' && between:
			r = 'm'
			if rest := strings.TrimLeftFunc(string(runes[i+1:]), unicode.IsDigit); strings.HasPrefix(rest, ":") {
				r = 'h'
			}
		case r == '×' && between:
			r = 'x'
		case r == '.' && between:
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && b.Len() > 0 && !gap:
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// shortened truncates a slug to a maximum number of runes, at the end of a word if it has several.
func shortened(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cut := string(runes[:max(most, 0)])
	if runes[len([]rune(cut))] != '-' {
		if i := strings.LastIndexByte(cut, '-'); i > 0 {
			cut = cut[:i]
		}
	}
	return strings.Trim(cut, "-.")
}
