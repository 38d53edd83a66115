package workshop

import (
	"context"
	"io"

	"atelier/adapters"
	webpage "atelier/adapters/web/page"
	"atelier/agent"
	"atelier/agent/plan"
	"atelier/jobs"
)

// samples provides the example requests behind buttons, and the web page's sample files.
type samples struct{ agent *agent.Agent }

var _ jobs.Samples = samples{}

// Sample returns the sample of a key.
func (s samples) Sample(ctx context.Context, key string) (plan.Sample, error) {
	return s.agent.Sample(ctx, key)
}

// File returns the sample file of a type.
func (samples) File(t plan.Type) adapters.File {
	return adapters.File{ID: string(t), Name: webpage.SampleName(string(t)), Handle: string(t)}
}

// Fetch opens a sample file.
func (samples) Fetch(_ context.Context, f adapters.File) (io.ReadCloser, error) {
	return webpage.OpenSample(f.Handle)
}
