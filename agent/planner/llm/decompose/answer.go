package decompose

// decomposition is the answer of the job: ControlLLM's subtasks (its Table 5), or a
// question back, or plain conversation.
type decomposition struct {
	// Thought comes first, so that a model which does not reason by itself says what is
	// wanted before it decides.
	Thought  string    `json:"thought"`
	Subtasks []subtask `json:"subtasks"`
	// Left are passages of the request that nothing here can do.
	Left     []string `json:"left"`
	Question string   `json:"question"`
	// Guesses are requests that the question may mean.
	Guesses []string `json:"guesses"`
	Reply   string   `json:"reply"`
	Refused bool     `json:"refused"`
	Types   []told   `json:"types"`

	// listed marks a bare list of subtasks, the form of a model that was tuned on
	// ControlLLM's data.
	listed bool
}

// subtask is one subtask as ControlLLM writes it.
type subtask struct {
	// Of are the passages of the request that it does.
	Of          []string     `json:"of"`
	Description string       `json:"description"`
	Task        []domainWord `json:"task"`
	ID          int          `json:"id"`
	Dep         []int        `json:"dep"`
	Args        []argument   `json:"args"`
	Said        []setting    `json:"said"`
	Returns     returned     `json:"returns"`
}

// setting is what the request states for a setting, in its words and in English.
type setting struct {
	Words string      `json:"words"`
	Type  settingWord `json:"type"`
	Value string      `json:"value"`
}

// argument is an input: a resource, <GENERATED>-n, or words.
type argument struct {
	Type    typeWord    `json:"type"`
	Value   string      `json:"value"`
	Meaning meaningWord `json:"meaning"`
}

// returned is what a subtask makes, <GENERATED>- and its own id.
type returned struct {
	Type  typeWord `json:"type"`
	Value string   `json:"value"`
}

// told is a resource of which the request says what kind it is.
type told struct {
	Resource string   `json:"resource"`
	Type     typeWord `json:"type"`
}

// The words of closed sets in the answers.
type (
	typeWord    string // a resource type
	domainWord  string // a domain of the catalogue
	meaningWord string // what a text stands for, "" where it is no text
	settingWord string // a type of settings
)
