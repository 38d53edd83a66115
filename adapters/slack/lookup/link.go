package lookup

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Links resolves links to messages and files of Slack.
type Links struct {
	Messages *Messages
	// Hosts are Slack's hosts; a leading dot includes all subdomains.
	Hosts []string
}

// Linked returns the message or the file that a link points to. It must be in the same channel: Slack does not
// tell the bot who may read another one.
func (ls *Links) Linked(ctx context.Context, in adapters.Thread, link *url.URL) (e adapters.Earlier, ok bool, err error) {
	host := strings.ToLower(link.Hostname())
	if !slices.ContainsFunc(ls.Hosts, func(h string) bool { return host == h || strings.HasPrefix(h, ".") && strings.HasSuffix(host, h) }) {
		return e, false, nil
	}
	switch part := strings.Split(strings.Trim(link.Path, "/"), "/"); {
	case len(part) == 3 && part[0] == "archives":
		ts, is := timestamp(part[2])
		if !is || !convert.IsID(part[1]) {
			return e, false, nil
		}
		e, err = ls.message(ctx, in, part[1], link.Query().Get("thread_ts"), ts)
		return e, true, err
	case len(part) >= 3 && part[0] == "files" && convert.IsID(part[2]):
		e, err = ls.file(ctx, in, part[2])
		return e, true, err
	case len(part) >= 2 && part[0] == "files-pri":
		_, id, is := strings.Cut(part[1], "-")
		if !is || !convert.IsID(id) {
			return e, false, nil
		}
		e, err = ls.file(ctx, in, id)
		return e, true, err
	}
	return e, false, nil
}

// timestamp parses the end of a permalink, such as p1700000000000100.
func timestamp(s string) (string, bool) {
	digits, ok := strings.CutPrefix(s, "p")
	if !ok || len(digits) < 7 {
		return "", false
	}
	ts := digits[:len(digits)-6] + "." + digits[len(digits)-6:]
	_, ok = convert.ParseTime(ts)
	return ts, ok
}

// Locate returns the permalink of the message that begins a thread, or the URL of a direct channel.
func (ls *Links) Locate(ctx context.Context, t adapters.Thread) (string, error) {
	self, err := ls.Messages.Identity.Self(ctx)
	if err != nil {
		return "", err
	}
	at, err := url.Parse(self.Site)
	if err != nil || at.Host == "" || at.Scheme != "https" || t.Workspace != self.Team || !convert.IsID(t.Channel) {
		return "", nil //nolint:nilerr // the server does not tell where it is
	}
	at = at.JoinPath("archives", t.Channel)
	if _, ok := convert.ParseTime(t.ID); ok {
		at = at.JoinPath("p" + strings.ReplaceAll(t.ID, ".", ""))
	}
	return at.String(), nil
}

func (ls *Links) message(ctx context.Context, in adapters.Thread, channel, root, ts string) (e adapters.Earlier, err error) {
	if channel != in.Channel {
		return e, &adapters.Fault{
			Sentence: "The linked message is in another channel, and I read only this one. Please forward it here, or attach its files.",
			Kind:     adapters.ErrForbidden,
		}
	}
	self, err := ls.Messages.Identity.Self(ctx)
	if err != nil {
		return e, err
	}
	if _, ok := convert.ParseTime(root); !ok {
		root = ts
	}
	m, err := ls.Messages.Find(ctx, channel, root, ts)
	if err != nil {
		return e, err
	}
	e = ls.Messages.Earlier(ctx, self, *m)
	e.Ref = convert.Ref(self.Team, channel, ts)
	return e, nil
}

func (ls *Links) file(ctx context.Context, in adapters.Thread, id string) (e adapters.Earlier, err error) {
	f, err := ls.Messages.fileInfo(ctx, id)
	if err != nil {
		return e, api.Fault(err)
	}
	if !slices.Contains(slices.Concat(f.Channels, f.Groups, f.IMs), in.Channel) {
		return e, &adapters.Fault{Sentence: "The linked file was not shared in this channel. Please attach it here.", Kind: adapters.ErrForbidden}
	}
	e.Files = convert.Files([]convert.File{f})
	return e, nil
}
