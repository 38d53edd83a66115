package point

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// view is what the page's templates are given.
type view struct {
	Marker

	Language string
	Static   string // the folder of the static files, from where the page is
	Problem  string // why there is no picture
}

// page shows the picture to be marked.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, g Grant) error {
	if err := p.there(r.Context(), g); err != nil {
		return err
	}
	v := p.view(r)
	v.Src = r.PathValue("token") + "/picture"
	return p.render(w, http.StatusOK, "page", v)
}

// view fills the page in. Its addresses are relative, so that it works below any path.
func (p *Pages) view(r *http.Request) view {
	tag := messages.Accept(r.Header.Get("Accept-Language"))
	say := func(format string, args ...any) string { return p.Phrases.Say(tag, format, args...) }
	folder := "static/"
	if r.Pattern == "GET /point/{token}/picture" {
		folder = "../static/"
	}
	return view{Language: tag, Static: folder + p.static, Marker: Marker{Words: say}}
}

func (p *Pages) render(w http.ResponseWriter, status int, name string, v view) error {
	var b bytes.Buffer
	if err := p.template.ExecuteTemplate(&b, name, v); err != nil {
		return fmt.Errorf("render the pointing page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Language)
	w.Header().Set("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) //nolint:errcheck // who asked has gone
	return nil
}

// refuse reports why a request is not served: by a page, or a sentence for a script.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, why *problem) {
	if why.status >= http.StatusInternalServerError && r.Context().Err() == nil {
		p.Log.ErrorContext(r.Context(), "a request of the pointing page failed", "route", r.Pattern, "error", adapters.ForOperator(why.err))
	}
	v := p.view(r)
	v.Problem = p.Phrases.Tell(v.Language, why)
	if r.Method != http.MethodPost {
		if err := p.render(w, why.status, "problem", v); err == nil {
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Language", v.Language)
	w.WriteHeader(why.status)
	_, _ = io.WriteString(w, v.Problem) //nolint:errcheck,gosec // who asked has gone; it is plain text
}
