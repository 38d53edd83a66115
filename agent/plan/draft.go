package plan

// MaxDrafts is how often a program is written for one step: once, and then to mend it.
const MaxDrafts = 3

// Draft is a program that was written for a step, and what came of running it.
type Draft struct {
	// Program is the answer of the model, as package improvise reads it.
	Program string `json:"program"`
	// Model is who wrote it.
	Model string `json:"model,omitempty"`
	Usage Tokens `json:"usage,omitzero"`
	// Trouble is why it did not do the job; nil as long as that is not known.
	Trouble *Trouble `json:"trouble,omitempty"`
}

// Trouble is the error of a program that did not do its job, for the model that mends it.
type Trouble struct { //nolint:errname // it is stored with its draft, too
	// What is in English. It quotes neither people nor programs, so it holds no file names.
	What string `json:"what"`
	// Printed is what the program printed.
	Printed string `json:"printed,omitempty"`
	// Left are the names of its results.
	Left []string `json:"left,omitempty"`
}

func (t *Trouble) Error() string { return t.What }
