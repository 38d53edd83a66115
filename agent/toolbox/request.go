package toolbox

import "slices"

// serviceKind is the kind of a backing that calls a service.
const serviceKind = "http"

// checkRequest checks the request of a backing.
func (t *Tool) checkRequest(b Backing, f *faults) {
	switch {
	case b.Kind != serviceKind || !isType(t.Returns): // that is told already
	case !CanImprovise(t.Returns):
		f.addf("a service returns image, video, audio, document or text, and not %s", t.Returns)
	default:
		*f = append(*f, b.Request.Check(t.scope("a request", f), t.closed())...)
		*f = append(*f, b.Request.Unguarded(t.lackable())...)
	}
}

// Services are the addresses of the services that the tools call, sorted.
func (c *Catalogue) Services() []string {
	var all []string
	for _, t := range c.All() {
		for _, b := range t.Backends {
			if b.Kind == serviceKind && b.Request != nil {
				all = append(all, b.Request.Base())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
