package step

import (
	"slices"
	"sync"

	"atelier/agent/plan"
)

// Memory is the state of a run: all resources, given and made, and the results of the steps. It is
// safe for concurrent use.
type Memory struct {
	mu        sync.Mutex
	resources []plan.Resource // latest last
	results   map[string]plan.Result
	namer     *plan.Namer
}

// NewMemory returns a memory with the resources of a plan, latest last.
func NewMemory(resources []plan.Resource) *Memory {
	return &Memory{
		resources: slices.Clone(resources),
		results:   map[string]plan.Result{},
		namer:     plan.NewNamer(resources...),
	}
}

// Resource returns the resource with that name.
func (m *Memory) Resource(name string) (plan.Resource, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.resources, func(r plan.Resource) bool { return r.Name == name })
	if i < 0 {
		return plan.Resource{}, false
	}
	return m.resources[i], true
}

// Latest returns the last resource that fits the type. A mark on a picture does not count as a
// picture.
func (m *Memory) Latest(t plan.Type) (plan.Resource, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range slices.Backward(m.resources) {
		if r.Type == t || r.Type.Fits(t) && r.On == "" {
			return r, true
		}
	}
	return plan.Resource{}, false
}

// Resources returns all resources, latest last.
func (m *Memory) Resources() []plan.Resource {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.resources)
}

// Result returns the result of the step with that key.
func (m *Memory) Result(key string) (plan.Result, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.results[key]
	return r, ok
}

// Record stores the result of a step. Its outputs become resources.
func (m *Memory) Record(key string, r plan.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.results[key] = r
	if r.Output != nil {
		m.resources = append(m.resources, *r.Output)
	}
	m.resources = append(m.resources, r.More...)
}

// name returns the chained name for a new resource.
func (m *Memory) name(op, key, ext string, inputs []string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.namer.Derived(op, key, ext, inputs...)
}
