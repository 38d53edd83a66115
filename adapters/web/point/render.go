package point

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// view is the data of the page's templates.
type view struct {
	Marker

	Language string
	Static   string // folder of the static files, relative to the page
	Problem  string // why there is no picture
}

// page serves the page for marking the picture.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, g Grant) error {
	if err := p.there(r.Context(), g); err != nil {
		return err
	}
	v := p.view(r)
	v.Src = r.PathValue("token") + "/picture"
	return p.render(w, http.StatusOK, "page", v)
}

// view returns the data of the page. Its URLs are relative, so that it works below any path.
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
	_, _ = b.WriteTo(w) //nolint:errcheck // the client may have left
	return nil
}

// refuse says why a request is not served: on a page, or in plain text for a script.
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
	_, _ = io.WriteString(w, v.Problem) //nolint:errcheck,gosec // the client may have left; it is plain text
}
