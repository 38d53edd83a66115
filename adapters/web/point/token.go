package point

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"atelier/adapters"
)

// A token is an id, the Unix time of its expiry, and their signature, in URL-safe base64.
const (
	idSize    = 16
	endSize   = 8
	tokenSize = idSize + endSize + sha256.Size
)

// encoding is strict, so that each token has only one form.
var encoding = base64.RawURLEncoding.Strict()

// id returns the id of a grant: equal for the same picture of the same thread.
func (l *Links) id(g Grant) []byte {
	mac := hmac.New(sha256.New, l.naming)
	for _, s := range []string{g.Thread.Key(), g.Picture, g.Handle} {
		_, _ = fmt.Fprintf(mac, "%d:%s", len(s), s) //nolint:errcheck // a hash never fails
	}
	return mac.Sum(nil)[:idSize:idSize]
}

func (l *Links) signature(b []byte) []byte {
	mac := hmac.New(sha256.New, l.sign)
	mac.Write(b)
	return mac.Sum(nil)
}

// token returns the token of the link.
func (l *Links) token(id []byte, end time.Time) string {
	b := binary.BigEndian.AppendUint64(id, uint64(end.Unix())) //nolint:gosec // the clock is after 1970
	return encoding.EncodeToString(append(b, l.signature(b)...))
}

// read returns the id of a token that is genuine and has not expired.
func (l *Links) read(token string) ([]byte, error) {
	forged := &adapters.Fault{Sentence: forgedSentence, Kind: ErrForged}
	if len(token) != encoding.EncodedLen(tokenSize) || strings.ContainsAny(token, "\r\n") { // which the decoder would pass over
		return nil, forged
	}
	b, err := encoding.DecodeString(token)
	if err != nil || len(b) != tokenSize {
		return nil, forged
	}
	said, signature := b[:idSize+endSize], b[idSize+endSize:]
	if !hmac.Equal(signature, l.signature(said)) {
		return nil, forged
	}
	end := time.Unix(int64(binary.BigEndian.Uint64(said[idSize:])), 0) //nolint:gosec // we signed it
	if !l.now().Before(end) {
		return nil, &adapters.Fault{Sentence: expiredSentence, Kind: ErrExpired}
	}
	return said[:idSize:idSize], nil
}
