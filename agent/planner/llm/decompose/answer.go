package decompose

// decomposition is the model's answer: ControlLLM's subtasks (Table 5), a question back, or plain
// conversation.
type decomposition struct {
	// Thought comes first, so that a model without reasoning states what is wanted before it
	// decides.
	Thought  string    `json:"thought"`
	Subtasks []subtask `json:"subtasks"`
	// Left are passages of the request that cannot be done here.
	Left     []string `json:"left"`
	Question string   `json:"question"`
	// Guesses are requests that the person may have meant.
	Guesses []string `json:"guesses"`
	Reply   string   `json:"reply"`
	Refused bool     `json:"refused"`
	Types   []told   `json:"types"`

	// listed marks a bare list of subtasks, the format of a model tuned on ControlLLM's data.
	listed bool
}

// subtask is a subtask in ControlLLM's format.
type subtask struct {
	// Of are the passages of the request that it covers.
	Of          []string     `json:"of"`
	Description string       `json:"description"`
	Task        []domainWord `json:"task"`
	ID          int          `json:"id"`
	Dep         []int        `json:"dep"`
	Args        []argument   `json:"args"`
	Said        []setting    `json:"said"`
	Returns     returned     `json:"returns"`
}

// setting is a setting stated in the request, in its words and in English.
type setting struct {
	Words string      `json:"words"`
	Type  settingWord `json:"type"`
	Value string      `json:"value"`
}

// argument is an input: a resource, <GENERATED>-n, or a text.
type argument struct {
	Type    typeWord    `json:"type"`
	Value   string      `json:"value"`
	Meaning meaningWord `json:"meaning"`
}

// returned is the result of a subtask: <GENERATED>- and its own id.
type returned struct {
	Type  typeWord `json:"type"`
	Value string   `json:"value"`
}

// told is a resource whose type the request states.
type told struct {
	Resource string   `json:"resource"`
	Type     typeWord `json:"type"`
}

// The enumerations in the answers.
type (
	typeWord    string // a resource type
	domainWord  string // a domain of the catalogue
	meaningWord string // the meaning of a text, "" if it is not a text
	settingWord string // a type of settings
)
