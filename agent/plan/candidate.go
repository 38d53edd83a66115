package plan

// Candidate is one way to run a tool, as processes tell each other: a backend, on a
// server, by a model.
type Candidate struct {
	// Name is unique among the candidates of a tool, and the same in every process.
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Run    string `json:"run"`
	Server string `json:"server"`
	// Model is the server's name of the model that it asks, "" where that is not known. The
	// Name tells it only where the candidate is one of several models.
	Model string `json:"model,omitempty"`
	// Device is where it works: cpu or gpu.
	Device      string `json:"device,omitempty"`
	Approximate bool   `json:"approximate,omitempty"`
	// Loading tells that its model is on its way: a call waits for it.
	Loading bool `json:"loading,omitempty"`
	// Cloud tells that it is outside of the house.
	Cloud bool `json:"cloud,omitempty"`
	// Rank tells which is tried first: the smaller one, whichever process has it.
	Rank int `json:"rank,omitempty"`
	// Entry is the hash of the tool's file as the process that publishes the candidate has it.
	Entry string `json:"entry,omitempty"`
}
