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

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/record"
)

// maxLinks is how many links of a message are looked at.
const maxLinks = 10

// Hosts open files at hosts that the operator names.
type Hosts interface {
	// May reports whether an address is at one of the hosts.
	May(address *url.URL) bool
	// Open opens what is there, by way of no other host and no private address.
	Open(ctx context.Context, address string, header http.Header) (io.ReadCloser, error)
}

// Links find out what the links in a request point to.
type Links struct {
	Adapters map[string]adapters.Adapter
	Hosts    Hosts // nil opens none
	// Impatient means that a failed lookup is not retried.
	Impatient bool
}

// Link is a link that stands for what it points to.
type Link struct {
	Written string // as it stands in the message, with its label
	Adapter string // that opens the files; [LinkSource] for files at other hosts
	Message adapters.Earlier
	Fault   error // why it cannot be followed; nil if it can
}

// LinkSource is the source of files at the hosts that the operator names.
const LinkSource = "link"

// Follow returns the links of a request that stand for a message or a file, and the hosts of links to
// media that are not opened.
func (l *Links) Follow(ctx context.Context, r *record.Request) (links []Link, closed []string, err error) {
	m := r.Message()
	if m == nil || aboutCodes.MatchString(m.Text) {
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

// Fetch opens a file at one of the hosts.
func (l *Links) Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if l.Hosts == nil {
		return nil, &adapters.Fault{Sentence: "The file no longer exists. Please send it again.", Kind: adapters.ErrGone}
	}
	return l.Hosts.Open(ctx, f.Handle, nil)
}

// follow looks at one link. It is false if the link stands for nothing but itself.
func (l *Links) follow(ctx context.Context, in adapters.Thread, address *url.URL, to *Link) (ok bool, err error) {
	if a, is := l.Adapters[in.Adapter].(adapters.Linker); is {
		if to.Message, ok, err = a.Linked(ctx, in, address); ok || err != nil {
			to.Adapter = in.Adapter
			return ok, err
		}
	}
	if l.Hosts == nil || !l.Hosts.May(address) || !isMedia(address) {
		return false, nil
	}
	sum := sha256.Sum256([]byte(address.String()))
	to.Adapter = LinkSource
	to.Message.Files = []adapters.File{{ID: hex.EncodeToString(sum[:16]), Name: path.Base(address.Path), Handle: address.String()}}
	return true, nil
}

// fault is what people are told about a link that cannot be followed, or an error that may pass.
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
	return &plan.Fault{Sentence: plan.Say("What the link points to cannot be read at the moment. Please try again later."), Err: err}, nil
}

// foundLink is a link in a text.
type foundLink struct {
	written string
	address *url.URL
}

var (
	// linkForm is an address, in a Markdown link, between angle brackets or by itself.
	linkForm = regexp.MustCompile(`\[[^\[\]\n]*\]\(<?(https?://[^\s()<>]+)>?\)|<(https?://[^\s<>]+)>|(https?://[^\s<>"“”„«»「」]+)`)
	// aboutCodes is a request in which a link is the content of a code.
	aboutCodes = regexp.MustCompile(`(?i)\bqr\b|\bbarcode|二维码|条形码`) //nolint:gosmopolitan // people ask in other scripts
	// quoted is a text that is to be taken as it is.
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
		if written == address { // what ends the sentence is no part of it
			address = strings.TrimRight(address, ".,;:!?'…。，；：！？、")
			if strings.HasSuffix(address, ")") && !strings.Contains(address, "(") {
				address = strings.TrimSuffix(address, ")")
			}
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

// mediaEndings are the endings of files that people link to so that something is done with them.
var mediaEndings = strings.Fields(".png .jpg .jpeg .gif .webp .bmp .tif .tiff .heic .avif .mp4 .mov .webm .mkv .avi .m4v " +
	".mp3 .wav .ogg .oga .opus .m4a .flac .aac")

func isMedia(u *url.URL) bool {
	return slices.Contains(mediaEndings, strings.ToLower(path.Ext(u.Path)))
}
