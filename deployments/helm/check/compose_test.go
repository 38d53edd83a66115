package check

import (
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
)

// TestCompose loads the Compose file as Docker Compose does, with all of its profiles.
func TestCompose(t *testing.T) {
	t.Parallel()
	load := func(env ...string) error {
		options, err := cli.NewProjectOptions([]string{"../../compose.yaml"}, cli.WithEnv(env), cli.WithProfiles([]string{"*"}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = options.LoadProject(t.Context())
		return err
	}
	if err := load("WEB_PASSWORD=secret", "REDIS_PASSWORD=secret", "S3_PASSWORD=secret"); err != nil {
		t.Error(err)
	}
	if err := load("WEB_PASSWORD=secret", "REDIS_PASSWORD=secret"); err == nil {
		t.Error("it starts without a password for S3")
	}
}
