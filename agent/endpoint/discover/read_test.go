package discover

import (
	"math"
	"testing"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{
		"Qwen/Qwen3-VL-8B-Instruct": 8, "qwen3:0.6b": 0.6, "smollm2-360m": 0.36, "mixtral-8x7b-instruct": 56, "qwen3-30b-a3b": 30,
		"internlm2_5-20b-chat-1m": 20, "gpt-oss-20b": 20, "llama-3.1-405b": 405, "../models/Meta-Llama-3.1-8B-Q4_K_M.gguf": 8,
		"gemma-3n-e2b": 0, "phi-4": 0, "bge-m3": 0, "q4_k_m": 0, "gpt-4o": 0, "int4bit": 0, "": 0, "b": 0,
	} {
		if got := parametersIn(name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
	}
	for said, want := range map[string]float64{"8.2B": 8.2, "137M": 0.137, "494.03M": 0.49403, "1.1T": 1100, "": 0, "B": 0, "-1B": 0, "NaNB": 0, "1e9B": 0, "8": 0, "ä": 0} {
		if got := parameters(said); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, not %v", said, got, want)
		}
	}
}

// FuzzRead checks that the models of any answer have valid names and sizes.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"models":[{"name":"a:8b","details":{"parameter_size":"8.2B"},"remote_host":"x","capabilities":["completion"],"context_length":4096}]}`,
		`{"data":[{"id":"a-8b","type":"llm","state":"loaded","loaded_context_length":1,"owned_by":"vllm","max_model_len":9,"parent":null,` +
			`"meta":{"n_params":8e9,"n_ctx":1},"architecture":{"input_modalities":["image"],"output_modalities":["text"]}}]}`,
		`{"capabilities":["completion","vision"],"parameters":"num_ctx 8192\nstop x"}`, `[]`, `{"data":[null,{}]}`, `{"data":[{"id":"x","meta":{"n_params":-1}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		readLoaded(body)
		readShown(body)
		ollama, _ := readOllama(body)     //nolint:errcheck // only the models matter
		lmStudio, _ := readLMStudio(body) //nolint:errcheck // the same
		_, openAI, err := readOpenAI(body)
		if err == nil && len(openAI) == 0 {
			t.Error("a list without models is one of a server")
		}
		for _, models := range [][]model{ollama, lmStudio, openAI} {
			for _, m := range models {
				if !isName(m.name) || math.IsNaN(m.billions) || m.billions < 0 || m.context < 0 {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
