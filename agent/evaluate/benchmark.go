package evaluate

import (
	"bytes"
	"embed"
	"fmt"
)

//go:embed benchmark/requests.json benchmark/gold.jsonl
var benchmark embed.FS

// BuiltIn reads the embedded benchmark.
func BuiltIn() ([]Case, error) {
	var in [2]Input
	for i, name := range []string{"benchmark/requests.json", "benchmark/gold.jsonl"} {
		b, err := benchmark.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the project's own benchmark: %w", err)
		}
		in[i] = Input{Name: name, Reader: bytes.NewReader(b)}
	}
	return ReadCases(in[0], in[1])
}
