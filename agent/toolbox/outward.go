package toolbox

import (
	"slices"

	"atelier/agent/plan"
)

// Outward decides whether pictures, sound and video may go to a server: all backends that send files
// ask it.
type Outward struct {
	// Allowed lets them leave the house (ALLOW_CLOUD_MEDIA).
	Allowed bool
	// Private marks a server in the house.
	Private bool
	// Host is the server's, for the operator.
	Host string
}

// May reports whether media may go there.
func (o Outward) May() bool { return o.Allowed || o.Private }

// Refusal is the error of what needs media to go there, and nil where they may.
func (o Outward) Refusal() error {
	if o.May() {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("It would send pictures, sound or video to an outside service, which is not allowed here."),
		Operator: plan.Say("It would send pictures, sound or video to %s: set ALLOW_CLOUD_MEDIA=true to allow that.", o.Host),
	}
}

// Check is the Refusal of a call with files or with media, and nil for any other one.
func (o Outward) Check(c Call) error {
	for _, values := range c.Args {
		if slices.ContainsFunc(values, func(v Value) bool { return v.Path != "" || v.Type.Media() }) {
			return o.Refusal()
		}
	}
	return nil
}
