package settings

import (
	"os"
	"testing"
)

func TestExampleEnvIsTrue(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != ExampleEnv() {
		t.Errorf(".env.example should read:\n%s", ExampleEnv())
	}
	file, err := readEnvFile("../../.env.example")
	if err != nil || len(file) != 0 {
		t.Errorf("it sets %v, %v", file, err)
	}
}
