package toolbox

import "slices"

// serviceKind is the kind of a backing that calls a service.
const serviceKind = "http"

// checkRequest checks the request of a backing.
func (t *Tool) checkRequest(b Backing, f *faults) {
	switch {
	case b.Kind != serviceKind && b.Request != nil:
		f.addf("a backend of the kind %s has a request, which only the kind %s has", b.Kind, serviceKind)
	case b.Kind == serviceKind && b.Request == nil:
		f.addf("a backend of the kind %s lacks its request", serviceKind)
	case b.Kind == serviceKind && !CanImprovise(t.Returns):
		f.addf("a service returns image, video, audio, document or text, and not %s", t.Returns)
	case b.Kind == serviceKind:
		*f = append(*f, b.Request.Check(t.scope("a request", f))...)
		*f = append(*f, b.Request.Compared(t.closed())...)
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
