package deployments

import (
	"slices"
	"testing"
)

// TestEveryProcessKnowsTheBackends: what is set about the servers that tools run on reaches
// gateway and workers alike, or a plan would be made over tools that no worker has.
func TestEveryProcessKnowsTheBackends(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if s.Image != ours {
			continue
		}
		if !slices.ContainsFunc(s.EnvFile, func(f envFile) bool { return f.Path == ".env" }) {
			t.Errorf("%s reads %v", name, s.EnvFile)
		}
		if got := s.Environment["BACKENDS_FILE"]; got != "${BACKENDS:+/etc/atelier/backends.yaml}" {
			t.Errorf("%s has its backends in %q", name, got)
		}
		for _, setting := range []string{"TOOL_SERVER_URL", "TOOL_SERVER_TOKEN", "LOCALAI_URL", "LOCALAI_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "ALLOW_CLOUD_MEDIA"} {
			if _, set := s.Environment[setting]; set || !slices.Contains(settings(t), setting) {
				t.Errorf("%s does not leave %s to the operator's file", name, setting)
			}
		}
	}
}
