package settings

import (
	"errors"
	"fmt"
	"slices"

	"atelier/adapters"
	"atelier/jobs/quota"
)

// Programs says where a language model may write programs.
type Programs struct {
	// Allowed is false if no programs may be written.
	Allowed bool
	// Places are the only places where programs are written; none means everywhere.
	Places []quota.Entry
}

// In reports whether programs may be written for requests of a thread.
func (p Programs) In(t adapters.Thread) bool {
	return p.Allowed && (len(p.Places) == 0 || slices.ContainsFunc(p.Places, func(e quota.Entry) bool { return e.Includes(t) }))
}

// parsePrograms parses true, false or a list of places.
func parsePrograms(v string) (Programs, error) {
	if on, err := yes(v); err == nil {
		return Programs{Allowed: on}, nil
	}
	places, err := accessEntries(v)
	switch {
	case err != nil:
		return Programs{}, fmt.Errorf("expected true, false or a list of places: %w", err)
	case len(places) == 0:
		return Programs{}, errors.New("expected true, false or a list of places")
	}
	for _, e := range places {
		if e.Kind == quota.User || e.Kind == quota.Role {
			return Programs{}, fmt.Errorf("%q is not a place: expected a platform, workspace or channel", e)
		}
	}
	return Programs{Allowed: true, Places: places}, nil
}
