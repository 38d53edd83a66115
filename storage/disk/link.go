package disk

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"atelier/storage"
)

// signer makes links that need nothing but a secret to be known as real.
type signer struct {
	base   *url.URL // with a slash at its end, and nothing that is escaped
	secret []byte
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.EscapedPath() != u.Path { // which http.StripPrefix would not find
		return nil, &storage.Fault{Sentence: fmt.Sprintf("The address of links to files is %q: a URL such as https://bot.example.org/files is expected.", base)}
	}
	return u.JoinPath("/"), nil
}

// secretFile lies in the folder, so that processes that share it know each other's
// links, and those of yesterday.
const secretFile = ".links"

func newSigner(root *os.Root, base *url.URL) (*signer, error) {
	secret, err := root.ReadFile(secretFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(root); err != nil {
			return nil, err
		}
		secret, err = root.ReadFile(secretFile)
	}
	if err != nil {
		return nil, err
	}
	if len(secret) < sha256.Size {
		return nil, errors.New("the secret of the links is damaged; remove the file " + secretFile + " from the folder")
	}
	return &signer{base, secret}, nil
}

// makeSecret leaves a whole secret, of whichever process was first.
func makeSecret(root *os.Root) (err error) {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret)
	part := aside + rand.Text()
	defer func() { err = errors.Join(err, ignoreMissing(root.Remove(part))) }()
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(secret)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := root.Link(part, secretFile); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// sign is the proof that the key may be read until then, in seconds since 1970.
func (s *signer) sign(key, until string) string {
	mac := hmac.New(sha256.New, s.secret)
	_, _ = fmt.Fprintf(mac, "link 1\n%s\n%s", until, key) //nolint:errcheck // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Link signs a URL below the configured one.
func (b *Blobs) Link(ctx context.Context, key string, expiry time.Duration) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	if err := storage.CheckLink(expiry); err != nil {
		return "", err
	}
	if b.link == nil {
		return "", storage.ErrNoLinks
	}
	until := strconv.FormatInt(b.now().Add(expiry+time.Second-1).Unix(), 10)
	u := *b.link.base
	u.Path += key
	u.RawPath = b.link.base.Path + escape(key)
	u.RawQuery = url.Values{"until": {until}, "proof": {b.link.sign(key, until)}}.Encode()
	return u.String(), nil
}

// escape leaves no character of a key that a URL, or a program that looks for URLs in
// text, could take for its own.
func escape(key string) string {
	parts := strings.Split(key, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// Links serves what the links of this folder lead to, and nothing else. It sees the path
// below the configured URL, as [http.StripPrefix] leaves it.
func (b *Blobs) Links() http.Handler {
	if b.link == nil {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(b.serve)
}

func (b *Blobs) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "A link can only be read.", http.StatusMethodNotAllowed)
		return
	}
	key, query := strings.TrimPrefix(r.URL.Path, "/"), r.URL.Query()
	until := query.Get("until")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !hmac.Equal([]byte(query.Get("proof")), []byte(b.link.sign(key, until))) {
		http.Error(w, "This link is not one of ours, or not whole.", http.StatusForbidden)
		return
	}
	left := time.Unix(seconds, 0).Sub(b.now())
	if left <= 0 {
		http.Error(w, "This link has expired.", http.StatusForbidden)
		return
	}
	f, info, err := b.open(r.Context(), key)
	switch {
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrKey):
		http.Error(w, "This file is not kept any more.", http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "This file cannot be read just now.", http.StatusInternalServerError)
		return
	}
	defer func() { _ = f.Close() }() //nolint:errcheck // it was only read
	content := storage.ContentOf(key)
	h := w.Header()
	h.Set("Content-Type", content.Type)
	h.Set("Content-Disposition", content.Disposition(key))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, max-age="+strconv.Itoa(int(left/time.Second)))
	http.ServeContent(w, r, path.Base(key), info.ModTime(), f)
}
