package endpoint_test

import (
	"errors"
	"fmt"
	"testing"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

func TestDeclined(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"content_filter": true, "content_policy_violation": true, "ResponsibleAIPolicyViolation": true,
		"": false, "context_length_exceeded": false,
	} {
		err := fmt.Errorf("respond: %w", &plan.Fault{Sentence: plan.Say("No."), Err: &endpoint.Error{Kind: endpoint.Rejected, Code: code, Err: errors.New("400")}})
		if endpoint.Declined(err) != want {
			t.Errorf("code %q: declined is %v", code, !want)
		}
	}
	if endpoint.Declined(nil) || endpoint.Declined(errors.New("content_filter")) {
		t.Error("what is no failure of a server is declined")
	}
}
