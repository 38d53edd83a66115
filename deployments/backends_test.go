package deployments

import (
	"slices"
	"testing"
)

// TestEveryProcessKnowsTheBackends checks that gateway and workers get the same settings of the servers that tools
// run on. Otherwise plans could use tools that no worker has. The workers of the tool server know its address by
// default.
func TestEveryProcessKnowsTheBackends(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		if s.Image != ours {
			continue
		}
		if s.flag("--queues") == "program" { // it runs no tool
			continue
		}
		if !slices.ContainsFunc(s.EnvFile, func(f envFile) bool { return f.Path == ".env" }) {
			t.Errorf("%s reads %v", name, s.EnvFile)
		}
		if got := s.Environment["BACKENDS_FILE"]; got != "${BACKENDS:+/etc/atelier/backends.yaml}" {
			t.Errorf("%s has its backends in %q", name, got)
		}
		for _, setting := range []string{"TOOL_SERVER_URL", "TOOL_SERVER_TOKEN", "LOCALAI_URL", "LOCALAI_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "ALLOW_CLOUD_MEDIA"} {
			value, set := s.Environment[setting]
			if setting == "TOOL_SERVER_URL" && s.flag("--queues") == "gpu" {
				set = value != "${TOOL_SERVER_URL:-http://toolserver:8000}"
			}
			if set || !slices.Contains(settings(t), setting) {
				t.Errorf("%s does not leave %s to the operator's file", name, setting)
			}
		}
	}
}
