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

// A token is an id, the second of its end, and their signature, in base64 for addresses.
const (
	idSize    = 16
	endSize   = 8
	tokenSize = idSize + endSize + sha256.Size
)

// Base64 that is read in one way only, so that no changed character means the same.
var encoding = base64.RawURLEncoding.Strict()

// id names a grant: the same picture of the same thread has the same.
func (l *Links) id(g Grant) []byte {
	mac := hmac.New(sha256.New, l.naming)
	for _, s := range []string{g.Thread.Key(), g.Picture, g.Handle} {
		_, _ = fmt.Fprintf(mac, "%d:%s", len(s), s) //nolint:errcheck // a hash takes all
	}
	return mac.Sum(nil)[:idSize:idSize]
}

func (l *Links) signature(b []byte) []byte {
	mac := hmac.New(sha256.New, l.sign)
	mac.Write(b)
	return mac.Sum(nil)
}

// token is what stands in the link.
func (l *Links) token(id []byte, end time.Time) string {
	b := binary.BigEndian.AppendUint64(id, uint64(end.Unix())) //nolint:gosec // the clock is after 1970
	return encoding.EncodeToString(append(b, l.signature(b)...))
}

// read gives the id of a token that is ours and has not ended.
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
