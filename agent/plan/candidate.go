package plan

// Candidate is one way to run a tool, as published by processes: a backend, on a server, with a
// model.
type Candidate struct {
	// Name is unique among the candidates of a tool, and the same in every process.
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Run    string `json:"run"`
	Server string `json:"server"`
	// Model is the server's name for the model, "" if unknown. Name includes it only if the
	// candidate is one of several models.
	Model string `json:"model,omitempty"`
	// Device is the device it runs on: cpu or gpu.
	Device      string `json:"device,omitempty"`
	Approximate bool   `json:"approximate,omitempty"`
	// Loading means that the model is loading; a call waits for it.
	Loading bool `json:"loading,omitempty"`
	// Cloud means that it is outside the private network.
	Cloud bool `json:"cloud,omitempty"`
	// Rank orders candidates across processes: the lowest is tried first.
	Rank int `json:"rank,omitempty"`
	// Entry is the hash of the tool's file in the process that publishes the candidate.
	Entry string `json:"entry,omitempty"`
}
