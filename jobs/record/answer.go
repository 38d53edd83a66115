package record

import (
	"atelier/adapters"
	"atelier/agent/plan"
)

// Status is the state of a run.
type Status string

// Statuses. In the first three, the run has not ended.
const (
	Waiting   Status = "waiting" // for its turn in the thread
	Planning  Status = "planning"
	Running   Status = "running"
	Done      Status = "done"
	Asking    Status = "asking"  // ended with a question that is still open
	Partial   Status = "partial" // some steps succeeded, others did not
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Answer is the message that ends a run. It is written once.
type Answer struct {
	Status Status         `json:"status"`
	Reply  adapters.Reply `json:"reply"`
	// Silent answers are not posted, because the message that they answer was deleted.
	Silent bool `json:"silent,omitempty"`
	// Offers are the offers behind the reply's choices, in the same order.
	Offers []plan.Offer `json:"offers,omitempty"`
	// Turn and Resources are added to the thread's memory.
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  string          `json:"question,omitempty"`
	// Thinking is the model usage of the whole run.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// Guesses returns the guesses of the answer's question.
func (a *Answer) Guesses() []string {
	var all []string
	for _, o := range a.Offers {
		if o.Guess != "" {
			all = append(all, o.Guess)
		}
	}
	return all
}
