package plan

// MaxDrafts is the maximum number of programs written for one step: one, and then corrections.
const MaxDrafts = 3

// Draft is a program written for a step, and the outcome of running it.
type Draft struct {
	// Program is the model's answer; package improvise parses it.
	Program string `json:"program"`
	// Model is the model that wrote it.
	Model string `json:"model,omitempty"`
	Usage Tokens `json:"usage,omitzero"`
	// Trouble says why it failed; nil if it did not, or is not known yet.
	Trouble *Trouble `json:"trouble,omitempty"`
}

// Trouble describes why a program failed, for the model that corrects it.
type Trouble struct { //nolint:errname // it is stored with its draft, too
	// What is in English. It quotes neither people nor programs, and contains no file names.
	What string `json:"what"`
	// Printed is what the program printed.
	Printed string `json:"printed,omitempty"`
	// Left are the names of the files it left behind.
	Left []string `json:"left,omitempty"`
}

func (t *Trouble) Error() string { return t.What }
