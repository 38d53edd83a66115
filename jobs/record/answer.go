package record

import (
	"atelier/adapters"
	"atelier/agent/plan"
)

// Status is how a run stands, or ended.
type Status string

// The statuses. The first three are of a run that is not over.
const (
	Waiting   Status = "waiting" // for its turn in the thread
	Planning  Status = "planning"
	Running   Status = "running"
	Done      Status = "done"
	Asking    Status = "asking"  // it asked back, and was not answered yet
	Partial   Status = "partial" // some of it is done, and some is not
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Answer is what is said at the end of a run. It is written once.
type Answer struct {
	Status Status         `json:"status"`
	Reply  adapters.Reply `json:"reply"`
	// Silent answers are not posted: the message that they answer is gone.
	Silent bool `json:"silent,omitempty"`
	// Offers are what the reply's choices stand for, in their order.
	Offers []plan.Offer `json:"offers,omitempty"`
	// Turn and Resources are what the thread remembers.
	Turn      *plan.Turn      `json:"turn,omitempty"`
	Resources []plan.Resource `json:"resources,omitempty"`
	Question  string          `json:"question,omitempty"`
	// Thinking is what models took for the whole run.
	Thinking plan.Thinking `json:"thinking,omitzero"`
}

// Guesses are those of the question that is asked.
func (a *Answer) Guesses() []string {
	var all []string
	for _, o := range a.Offers {
		if o.Guess != "" {
			all = append(all, o.Guess)
		}
	}
	return all
}
