package slack

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"atelier/adapters"
	"atelier/adapters/download"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// sniffed is how many bytes of a file are used to detect its type.
const sniffed = 512

// fetcher opens files that people shared.
type fetcher struct {
	api   *api.Client
	edge  *download.Client
	base  *url.URL // of the API
	token string
}

// open opens a file, by the rules of [Slack.Fetch].
func (ft *fetcher) open(ctx context.Context, f adapters.File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id, at, _ := strings.Cut(f.Handle, " ")
	if !convert.IsID(id) || !strings.HasPrefix(id, "F") {
		return nil, gone()
	}
	if at == "" {
		whole, _, _, err := ft.api.GetFileInfoContext(ctx, id, 0, 0)
		if err != nil {
			return nil, api.Fault(err)
		}
		if convert.IsExternal(*whole) {
			return nil, download.Elsewhere()
		}
		if at = cmp.Or(whole.URLPrivateDownload, whole.URLPrivate); at == "" || whole.Mode == "tombstone" {
			return nil, gone()
		}
		if f.Type == "" {
			f.Type = whole.Mimetype
		}
	}
	u, err := url.Parse(at)
	if err != nil || ft.isMethod(u) {
		return nil, download.Elsewhere()
	}
	var header http.Header
	if ft.trusts(u) {
		header = http.Header{"Authorization": {"Bearer " + ft.token}}
	}
	body, err := ft.edge.Open(ctx, at, header)
	if err != nil {
		return nil, ft.whyNot(ctx, id, err)
	}
	r := bufio.NewReader(body)
	begin, err := r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, body.Close())
	}
	if isPage(begin) && !strings.Contains(f.Type, "html") && !ft.isWhole(ctx, &r, f) {
		locked := &adapters.Fault{
			Sentence: "Slack does not let the bot read the file: the app needs the scope files:read, and must be in the channel.", Kind: adapters.ErrForbidden,
		}
		return nil, errors.Join(locked, body.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{r, body}, nil
}

// isWhole reports, by the size, whether content that looks like a web page is the file itself. Content longer than
// looked is not a login page.
func (ft *fetcher) isWhole(ctx context.Context, r **bufio.Reader, f adapters.File) bool {
	const looked = 1 << 20
	if f.Size == 0 {
		whole, _, _, err := ft.api.GetFileInfoContext(ctx, f.ID, 0, 0)
		if err != nil {
			return false
		}
		f.Size = int64(whole.Size)
	}
	*r = bufio.NewReaderSize(*r, looked+1)
	most := min(f.Size, looked)
	begin, err := (*r).Peek(int(most) + 1)
	return int64(len(begin)) > looked || int64(len(begin)) == most && errors.Is(err, io.EOF)
}

// whyNot returns the fault of a failed download, after asking Slack whether the file was deleted.
func (ft *fetcher) whyNot(ctx context.Context, id string, err error) error {
	if !errors.Is(err, adapters.ErrForbidden) || ctx.Err() != nil {
		return api.Fault(err)
	}
	whole, _, _, asked := ft.api.GetFileInfoContext(ctx, id, 0, 0)
	if api.HasCode(asked, "file_deleted", "file_not_found") || asked == nil && whole.Mode == "tombstone" {
		return gone()
	}
	return api.Fault(err)
}

// isMethod reports whether an address is a method of the API.
func (ft *fetcher) isMethod(u *url.URL) bool {
	at := strings.ToLower(path.Clean("/" + u.Path))
	below, is := strings.CutPrefix(at+"/", strings.ToLower(ft.base.Path))
	if ft.base.Path == "/" { // files may be there too, but no method has a slash
		is = strings.Count(below, "/") < 2
	}
	return is || strings.HasPrefix(at+"/", "/api/")
}

// trusts reports whether the token may go to an address.
func (ft *fetcher) trusts(u *url.URL) bool {
	host, own := strings.ToLower(u.Hostname()), strings.ToLower(ft.base.Hostname())
	switch {
	case (host == own || isLoopback(host) && isLoopback(own)) && !below(host, officialHost):
		return u.Scheme == ft.base.Scheme && (portOf(u) == portOf(ft.base) || isLoopback(host))
	case u.Scheme != "https" || portOf(u) != "443" || !below(host, officialHost) && !below(host, own):
		return false
	}
	at := path.Clean("/" + u.Path)
	return strings.HasPrefix(host, "files.") || strings.HasPrefix(at, "/files-pri/") || strings.HasPrefix(at, "/files/")
}

// below reports whether a host is another one or a subdomain of it.
func below(host, other string) bool { return host == other || strings.HasSuffix(host, "."+other) }

// isLoopback reports whether a host is a name of this machine; these are interchangeable, as in [download.Config].
func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func portOf(u *url.URL) string {
	if u.Port() == "" && u.Scheme == "https" {
		return "443"
	}
	return cmp.Or(u.Port(), "80")
}

func gone() error {
	return &adapters.Fault{Sentence: "The file no longer exists. Please send it again.", Kind: adapters.ErrGone}
}

// isPage reports whether content begins like a web page: without permission to read a file, Slack
// answers with its login page.
func isPage(begin []byte) bool {
	begin = bytes.ToLower(bytes.TrimLeft(begin, " \t\r\n\ufeff"))
	return bytes.HasPrefix(begin, []byte("<!doctype html")) || bytes.HasPrefix(begin, []byte("<html"))
}
