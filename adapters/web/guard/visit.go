package guard

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"atelier/adapters"
)

// visit is a person who was let in, and how.
type visit struct {
	person adapters.Person
	token  string // of the session, if there is one
}

type visitKey struct{}

func (v visit) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// Who returns the person for whom [Guard.Protect] serves a request. People at this machine have no
// name.
func Who(ctx context.Context) adapters.Person {
	v, _ := ctx.Value(visitKey{}).(visit) //nolint:errcheck // nobody is the zero person
	return v.person
}

// CanLeave reports whether there is a session to log out of.
func CanLeave(ctx context.Context) bool {
	v, _ := ctx.Value(visitKey{}).(visit) //nolint:errcheck // nobody has none
	return v.token != ""
}

// local returns the person at this machine.
func local() adapters.Person { return adapters.Person{ID: "local", Admin: true} }

// The maximum length of a name in characters, and of its id in bytes.
const (
	maxName = 60
	maxID   = 255
)

// named returns the person with a name. Case, width and invisible characters are ignored.
func named(name string) (adapters.Person, bool) {
	if len(name) > 8*maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return adapters.Person{}, false
	}
	name = strings.Join(strings.Fields(strings.Map(shown, norm.NFC.String(name))), " ")
	id := strings.ToLower(strings.ToUpper(norm.NFKC.String(strings.Map(seen, name))))
	id = strings.Join(strings.Fields(norm.NFKC.String(id)), " ")
	letters := strings.ContainsFunc(id, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	if !letters || utf8.RuneCountInString(name) > maxName || len(id) > maxID {
		return adapters.Person{}, false
	}
	return adapters.Person{ID: id, Name: name}, true
}

// shown drops bidirectional and invisible controls, except joiners of letters and emoji.
func shown(r rune) rune {
	if unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
		return -1
	}
	return r
}

// seen drops all invisible characters.
func seen(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
		return -1
	}
	return r
}

// admit returns who sent the request, or why they are not let in.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request) (visit, *refusal) {
	if g.open {
		return g.admitLocal(r)
	}
	if g.header != "" {
		v, no, told := g.admitNamed(r)
		if told {
			return v, no
		}
	}
	return g.admitSession(w, r)
}

// admitLocal lets in people at this machine, but not through a proxy, which may act for others.
func (g *Guard) admitLocal(r *http.Request) (visit, *refusal) {
	if g.exposed {
		g.journal.note(r, "exposed", "a request was refused: as PUBLIC_URL is set, WEB_PASSWORD or WEB_USER_HEADER is needed")
		return visit{}, &refusal{status: http.StatusForbidden, format: "" +
			"Other machines can reach Atelier through PUBLIC_URL, so it needs a password. The operator must set WEB_PASSWORD."}
	}
	if h, ok := hostname(r.Host); ok && h.local() && peer(r).IsLoopback() && !proxied(r.Header) {
		return visit{person: local()}, nil
	}
	g.journal.note(r, "elsewhere", "a request from another machine was refused: that needs WEB_PASSWORD")
	return visit{}, &refusal{status: http.StatusForbidden, format: "Without a password, Atelier only works on the machine where it runs. " +
		"To let others in, the operator sets WEB_PASSWORD."}
}

// admitNamed lets in the person named by the proxy's header. told is false if the password is needed.
func (g *Guard) admitNamed(r *http.Request) (v visit, no *refusal, told bool) {
	trusted, names := within(g.proxies, peer(r)), r.Header.Values(g.header)
	password := g.sessions.state != nil
	switch {
	case password && (!trusted || len(names) == 0):
		return visit{}, nil, false
	case !trusted:
		g.journal.note(r, "proxy", "a request was refused that does not come from one of WEB_PROXIES")
		return visit{}, &refusal{status: http.StatusForbidden, format: "Atelier is only available through the address where you sign in. Open that one."}, true
	case len(names) == 1:
		if person, ok := named(names[0]); ok {
			person.Admin = g.admins[person.ID]
			return visit{person: person}, nil, true
		}
	}
	g.journal.note(r, "header", "a request of a trusted proxy was refused: its header names not one person", "header", g.header)
	return visit{}, &refusal{status: http.StatusForbidden, format: "The sign-in service did not say who you are. " +
		"The operator can find out more in the log."}, true
}

// admitSession lets in people who have logged in.
func (g *Guard) admitSession(w http.ResponseWriter, r *http.Request) (visit, *refusal) {
	name := g.cookie(r)
	cookie, err := r.Cookie(name)
	if err != nil {
		return visit{}, g.askLogin(r)
	}
	s, err := g.sessions.find(r.Context(), cookie.Value)
	if err != nil {
		return visit{}, g.broken(r, err)
	}
	person, ok := named(s.name)
	if !ok {
		return visit{}, g.askLogin(r)
	}
	if s.due {
		if err := g.sessions.renew(r.Context(), cookie.Value); err != nil {
			return visit{}, g.broken(r, err)
		}
		g.remember(w, r, cookie.Value)
	}
	return visit{person: person, token: cookie.Value}, nil
}

const (
	// streamed is how long a response lasts before the browser must authenticate again.
	streamed = time.Hour
	// lookAgain is the interval at which the session is checked during a response.
	lookAgain = time.Minute
)

// bounded returns a context that ends after a while, and soon after the session. Uploads may take
// longer.
func (g *Guard) bounded(ctx context.Context, r *http.Request, v visit) (context.Context, context.CancelFunc) {
	if g.open {
		return ctx, func() {}
	}
	var end context.CancelFunc
	if r.Method == http.MethodGet {
		ctx, end = context.WithTimeout(ctx, streamed)
	} else {
		ctx, end = context.WithCancel(ctx)
	}
	if v.token == "" {
		return ctx, end
	}
	var look func()
	look = func() {
		if ctx.Err() != nil {
			return
		}
		if s, err := g.sessions.find(ctx, v.token); err == nil && s.name == "" {
			end()
			return
		}
		time.AfterFunc(lookAgain, look)
	}
	first := time.AfterFunc(lookAgain, look)
	return ctx, func() {
		first.Stop()
		end()
	}
}

// askLogin rejects requests without a session, and limits them too.
func (g *Guard) askLogin(r *http.Request) *refusal {
	if no := g.pace(r, "address "+g.Address(r)); no != nil {
		return no
	}
	return &refusal{status: http.StatusUnauthorized, format: "You are not logged in, or your session has ended.", login: true}
}

func (g *Guard) broken(r *http.Request, err error) *refusal {
	g.journal.note(r, "state", "sessions cannot be read or written", "error", err)
	return &refusal{status: http.StatusServiceUnavailable, wait: troubled, format: "Atelier cannot check your login at the moment. Try again shortly."}
}
