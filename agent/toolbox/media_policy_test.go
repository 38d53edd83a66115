package toolbox_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestOutward: media are only sent out if allowed; texts may always be sent.
func TestOutward(t *testing.T) {
	t.Parallel()
	value := func(typ plan.Type, path string) map[string][]toolbox.Value {
		return map[string][]toolbox.Value{"a": {{Resource: plan.Resource{Type: plan.Text, Value: "x"}}, {Resource: plan.Resource{Type: typ}, Path: path}}}
	}
	for name, c := range map[string]struct {
		args  map[string][]toolbox.Value
		media bool
	}{
		"nothing": {nil, false}, "a text": {value(plan.Text, ""), false}, "a file of a text": {value(plan.Text, "a.txt"), true},
		"a picture": {value(plan.Image, "a.png"), true}, "a picture that is nowhere": {value(plan.Image, ""), true}, "boxes": {value(plan.BBox, ""), false},
	} {
		for _, o := range []toolbox.MediaPolicy{{Host: "h"}, {Host: "h", Allowed: true}, {Host: "h", Private: true}} {
			err := o.Check(toolbox.Call{Args: c.args})
			refused := c.media && !o.Allowed && !o.Private
			if (err != nil) != refused || o.Allows() != (o.Allowed || o.Private) || (o.Refusal() == nil) != o.Allows() {
				t.Errorf("%s, %+v: %v", name, o, err)
			}
			told, operator := plan.Sentence(err, plan.Message{}).String(), plan.OperatorSentence(err, plan.Message{}).String()
			if refused && (strings.Contains(told, "_") || !strings.HasSuffix(operator, "to h: set ALLOW_CLOUD_MEDIA=true to allow that.")) {
				t.Errorf("%s: people read %q, and the operator %q", name, told, operator)
			}
		}
	}
}
