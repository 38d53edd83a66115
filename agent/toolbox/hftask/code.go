package hftask

import (
	"errors"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// codeOf returns the error code in a server's answer, "" if there is none.
func codeOf(err error) string {
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		return e.Code
	}
	return ""
}

// byCode returns the fault for an error code of Atelier's tool server
// (deployments/toolserver/toolserver/faults.py). It returns nil for unknown codes, and for those that add
// nothing to the status. Faults of the server let other candidates be tried.
func (b *Backend) byCode(code string, err error, model string) error {
	host := b.config.Endpoint.Host()
	named := plan.Say("the model")
	if isModel(model) {
		named = plan.Quote(model)
	}
	switch code {
	case "invalid_input", "invalid_parameter", "missing_parameter":
		return fault(err, "The tool server rejected this input; please try another one.")
	case "too_large":
		return fault(err, "This is larger or longer than the tool server at %s accepts; please try something smaller or shorter.", host)
	case "model_failed":
		return fault(err, "The model failed on this; please try again, or try another input.")
	case "out_of_memory":
		return down(err, "The GPU of the tool server at %s does not have enough memory for this; try something smaller or shorter.", host)
	case "weights_missing":
		return down(err, "The tool server at %s does not have the files for %s. The operator can find out why in its log.", host, named)
	case "weights_damaged":
		return down(err, "The tool server at %s has damaged files for %s. The operator can have them downloaded again.", host, named)
	case "weights_mismatch":
		return down(err, "The tool server at %s has files for %s that belong to another kind of model. The operator can check its models.yaml.", host, named)
	case "hub_unreachable":
		return down(err, "The tool server at %s cannot download %s at the moment, because it cannot reach Hugging Face.", host, named)
	case "device_lost":
		return down(err, "The tool server at %s has lost its GPU and is being restarted.", host)
	case "replica_lost":
		return down(err, "The part of the tool server at %s that worked on this has stopped and is being restarted.", host)
	}
	return nil
}
