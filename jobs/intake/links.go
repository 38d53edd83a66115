package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// maxLinks is the maximum number of links in a message that are followed.
const maxLinks = 10

// Hosts opens files on the hosts that the operator allows.
type Hosts interface {
	// Allows reports whether an address is on one of the hosts.
	Allows(address *url.URL) bool
	// Open opens the file at an address. It follows no redirects to other hosts or private addresses.
	Open(ctx context.Context, address string, header http.Header) (io.ReadCloser, error)
}

// Links resolves the links in a request.
type Links struct {
	Adapters map[string]adapters.Adapter
	Hosts    Hosts // nil opens none
	// Impatient means that a failed lookup is not retried.
	Impatient bool
}

// Link is a link to a message or a file.
type Link struct {
	Written string // as it stands in the message, with its label
	Adapter string // opens the files; [LinkSource] for files on other hosts
	Message adapters.Earlier
	Fault   error // why it cannot be followed; nil if it can
}

// LinkSource is the source of files on the hosts that the operator allows.
const LinkSource = "link"

// Follow returns the links of a request to messages and files, and the hosts of links to media that are
// not allowed.
func (l *Links) Follow(ctx context.Context, r *record.Request) (links []Link, closed []string, err error) {
	m := r.Message()
	if m == nil || aboutCodes.MatchString(m.Text) && (makesCodes.MatchString(m.Text) || !readsCodes.MatchString(m.Text)) {
		return nil, nil, nil
	}
	for _, found := range find(m.Text) {
		link := Link{Written: found.written}
		ok, err := l.follow(ctx, r.Asked.Event.Thread, found.address, &link)
		if err != nil {
			if link.Fault, err = l.fault(ctx, err); err != nil {
				return nil, nil, err
			}
			ok = true
		}
		if e := link.Message; ok && link.Fault == nil && len(e.Files) == 0 && e.Text == "" {
			link.Fault = &plan.Fault{Sentence: plan.Say("The linked message has no text and no files that I can read.")}
		}
		switch {
		case ok:
			links = append(links, link)
		case isMedia(found.address) && !slices.Contains(closed, found.address.Hostname()):
			closed = append(closed, found.address.Hostname())
		}
	}
	return links, closed, nil
}

// Fetch opens a file on one of the hosts.
func (l *Links) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if l.Hosts == nil {
		return nil, &adapters.Fault{Sentence: "The file no longer exists. Please send it again.", Kind: adapters.ErrGone}
	}
	return l.Hosts.Open(ctx, f.Handle, nil)
}

// follow resolves one link. It returns false if the link does not lead to a message or a file.
func (l *Links) follow(ctx context.Context, in adapters.Thread, address *url.URL, to *Link) (ok bool, err error) {
	if a, is := l.Adapters[in.Adapter].(adapters.Linker); is {
		if to.Message, ok, err = a.Linked(ctx, in, address); ok || err != nil {
			to.Adapter = in.Adapter
			return ok, err
		}
	}
	if l.Hosts == nil || !l.Hosts.Allows(address) || !isMedia(address) {
		return false, nil
	}
	sum := sha256.Sum256([]byte(address.String()))
	to.Adapter = LinkSource
	to.Message.Files = []adapters.File{{ID: hex.EncodeToString(sum[:16]), Name: path.Base(address.Path), Handle: address.String()}}
	return true, nil
}

// fault returns what to tell people about a link that cannot be followed, or a transient error.
func (l *Links) fault(ctx context.Context, err error) (told, passing error) {
	if wait := record.WaitFor(err); wait > 0 {
		return nil, queue.Wait(wait, err)
	}
	if !adapters.Final(err) && (ctx.Err() != nil || queue.Retried(ctx) < queue.Allowed(queue.KindFetch).Retries && !l.Impatient) {
		return nil, fmt.Errorf("follow a link: %w", err)
	}
	if own, ok := errors.AsType[*adapters.Fault](err); ok {
		return &plan.Fault{Sentence: plan.Message{Format: own.Sentence, Args: own.Args}, Err: errors.Join(own.Unwrap()...)}, nil
	}
	return &plan.Fault{Sentence: plan.Say("The linked content cannot be read at the moment. Please try again later."), Err: err}, nil
}

// foundLink is a link in a text.
type foundLink struct {
	written string
	address *url.URL
}

var (
	// linkForm matches an address: in a Markdown link, in angle brackets or bare.
	linkForm = regexp.MustCompile(`\[[^\[\]\n]*\]\(<?(https?://[^\s()<>]+)>?\)|<(https?://[^\s<>]+)>|(https?://[^\s<>"“”„«»「」。，；：！？、]+)`)
	// aboutCodes matches requests in which a link is the content of a QR code or barcode.
	aboutCodes = regexp.MustCompile(`(?i)\bqr\b|\bbarcode|二维码|条形码`) //nolint:gosmopolitan // people ask in other scripts
	// makesCodes matches those of them that ask for a new code.
	makesCodes = regexp.MustCompile(`(?is)\b(make|create|generate|put|add)\b.*(\bqr\b|code)|(生成|制作|做).*码`) //nolint:gosmopolitan // as above
	// readsCodes matches those in which the code is in a picture, to which the link may lead, unless they ask for a new code.
	readsCodes = regexp.MustCompile(`(?is)\b(read|scan|decode|whats?)\b.*(\bqr\b|code)|\bthe (qr |bar ?)?codes? (in|on|at|from)\b` +
		`|[读扫]|识别|解码|什么`) //nolint:gosmopolitan // as above
	// quoted matches literal text in quotation marks.
	quoted = regexp.MustCompile("\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|`[^`\n]*`")
)

// find returns the links of a text that are not quoted, each once.
func find(text string) []foundLink {
	quotes := quoted.FindAllStringIndex(text, -1)
	var all []foundLink
	for _, at := range linkForm.FindAllStringSubmatchIndex(text, -1) {
		if len(all) == maxLinks || slices.ContainsFunc(quotes, func(q []int) bool { return q[0] < at[0] && at[1] <= q[1]+1 && at[0] < q[1] }) {
			continue
		}
		written, address := text[at[0]:at[1]], ""
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				address = text[at[group]:at[group+1]]
			}
		}
		if written == address { // drop the punctuation that ends the sentence
			address = strings.TrimRight(address, ".,;:!?'…")
			if strings.HasSuffix(address, ")") && !strings.Contains(address, "(") {
				address = strings.TrimSuffix(address, ")")
			}
			address = beforeHan(address)
			written = address
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil || slices.ContainsFunc(all, func(f foundLink) bool { return f.written == written }) {
			continue
		}
		all = append(all, foundLink{written, u})
	}
	return all
}

// beforeHan drops the Chinese words that follow a bare address without a space. The name of a file may have such letters itself,
// up to its ending.
func beforeHan(address string) string {
	short := address
	for i, r := range address {
		switch {
		case !unicode.Is(unicode.Han, r):
		case leadsToMedia(address[:i]):
			return address[:i]
		case short == address:
			short = address[:i]
		}
	}
	if leadsToMedia(address) {
		return address
	}
	return short
}

func leadsToMedia(address string) bool {
	u, err := url.Parse(address)
	return err == nil && isMedia(u)
}

// mediaEndings are the file extensions of media that a request may link to.
var mediaEndings = strings.Fields(".png .jpg .jpeg .gif .webp .bmp .tif .tiff .heic .avif .mp4 .mov .webm .mkv .avi .m4v " +
	".mp3 .wav .ogg .oga .opus .m4a .flac .aac")

func isMedia(u *url.URL) bool {
	return slices.Contains(mediaEndings, strings.ToLower(path.Ext(u.Path)))
}
