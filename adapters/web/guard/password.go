package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"time"
)

// tooManyGuesses is the sentence for people who must wait.
const tooManyGuesses = "Too many wrong passwords. Try again in %s."

// guess reports whether the password is correct, or how long to wait before it is checked.
func (g *Guard) guess(r *http.Request, password string, earlier *guesses) (wait time.Duration, right bool) {
	given := sha256.Sum256([]byte(password)) // equal lengths, for a constant-time comparison
	right = subtle.ConstantTimeCompare(given[:], g.password[:]) == 1
	if wait = earlier.try(g.Address(r), right, g.now()); wait > 0 {
		return wait, false
	}
	if !right {
		g.journal.note(r, "password", "somebody tried to log in with a wrong password")
	}
	return 0, right
}

// Basic serves programs that give the password with each request, by HTTP's Basic
// authentication under any user name. Without a password it is [Guard.Outer].
func (g *Guard) Basic(next http.Handler) http.Handler {
	if g.sessions.state == nil {
		return g.Outer(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, _ := hostname(r.Host) // any host: a foreign page does not know the password
		g.harden(w.Header(), h)
		_, password, given := r.BasicAuth()
		wait, right := time.Duration(0), false
		if given {
			wait, right = g.guess(r, password, g.programs)
		}
		switch {
		case right:
			next.ServeHTTP(w, r)
		case wait > 0:
			g.refuse(w, r, &refusal{status: http.StatusTooManyRequests, wait: wait, format: tooManyGuesses, args: []any{amount(wait)}})
		default:
			w.Header().Set("WWW-Authenticate", `Basic realm="Atelier", charset="UTF-8"`)
			g.refuse(w, r, &refusal{status: http.StatusUnauthorized, format: "Enter the password."})
		}
	})
}
