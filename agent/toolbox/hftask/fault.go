package hftask

import (
	"errors"
	"fmt"
	"net/http"

	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// fault returns an error with a sentence for people; err is the detail for the operator.
func fault(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: err}
}

// down returns a fault of the server ([toolbox.ErrDown]).
func down(err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Err: wrapAs(toolbox.ErrDown, err)}
}

// wrapAs joins err and its kind, so that errors.Is finds both. For a nil err it returns the kind.
func wrapAs(kind, err error) error {
	if err == nil {
		return kind
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// unreadable returns the fault of an answer that does not have its task's form.
func unreadable(err error) error {
	return down(err, "The tool server sent an answer that cannot be read.")
}

// asFault turns the error of a request into a fault: its sentence, and whether the server or the input is to
// blame. A refusal by the provider is final: no other model is tried.
func (b *Backend) asFault(err error, model string) error {
	if err == nil {
		return nil
	}
	if endpoint.Declined(err) {
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The model's provider declined this.")), Err: err, Final: true}
	}
	if endpoint.Loading(err) {
		return &plan.Fault{Sentence: plan.Say("The model is still loading; please try again in a few minutes."), Err: wrapAs(toolbox.ErrLoading, err)}
	}
	if known := b.byCode(codeOf(err), err, model); known != nil {
		return known
	}
	switch endpoint.KindOf(err) {
	case endpoint.Rejected, endpoint.TooLong:
		return fault(err, "The tool server rejected this input; please try another one.")
	case endpoint.ModelUnknown:
		return b.unknown(err, model)
	case endpoint.KeyRefused:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("Hugging Face refused the key. Please ask the operator to look into it."), Err: wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("Hugging Face refused the token: it is wrong or has expired. Set HF_TOKEN to a new one."),
			}
		}
	case endpoint.Forbidden:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("Hugging Face does not allow this with the key that is set. Please ask the operator to look into it."),
				Err:      wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("Hugging Face does not allow this with the token that is set. Give HF_TOKEN the right to call inference providers."),
			}
		}
	case endpoint.Quota:
		if b.hub != nil {
			return &plan.Fault{
				Sentence: plan.Say("The credits at Hugging Face are used up. Please ask the operator to look into it."), Err: wrapAs(toolbox.ErrDown, err),
				Operator: plan.Say("The credits at Hugging Face are used up. Buy some for the account of HF_TOKEN."),
			}
		}
	case endpoint.Down:
		switch e, ok := errors.AsType[*endpoint.Error](err); {
		case !ok || e.Status != http.StatusInternalServerError:
		case blamesInput.MatchString(e.Err.Error()):
			return fault(err, "The model failed on this; please try again, or try another input.")
		default:
			return down(err, "The tool server failed on this; please try again later.")
		}
	case endpoint.Malformed:
		if redirected(err) {
			return down(err, "The tool server redirects to another address, which is not followed; its address may be wrong.")
		}
	case endpoint.Limited, endpoint.TimedOut:
	default:
		return err // the context's error
	}
	return &plan.Fault{Sentence: plan.Sentence(err, plan.Say("The tool server does not answer.")), Err: wrapAs(toolbox.ErrDown, err)}
}

// blamesInput matches messages of a failed request (500) that blame the input, in the words of the libraries
// that run models (Pillow, librosa, torch, transformers). All other failures of this kind are the server's
// own.
var blamesInput = lazyregexp.New(`(?i)` + strings.Join([]string{
	`\b(invalid|unsupported|unknown|bad|corrupt(ed)?|damaged|empty|truncated) (input|image|picture|audio|sound|video|file|text|mask|format)`,
	`\b(input|image|picture|audio|video|file|text|mask|sequence)( \w+)? (is|was) (too|not|empty|invalid|corrupt|truncated)`,
	`cannot (identify|decode|read|open)`,
	`could not (decode|read|open)`,
	`\btoo (small|short|long)\b`,
	`sizes? of tensors?`,
	`shape mismatch`,
	`\bshapes? .{0,40}(incompatible|cannot be|invalid)`,
}, "|"))

// redirected reports whether the server answered with a redirect.
func redirected(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return ok && e.Status >= 300 && e.Status < 400
}

// unknown returns the fault of a server that does not have the model, or none for the task if model is "".
func (b *Backend) unknown(err error, model string) error {
	host := b.config.Endpoint.Host()
	if model == "" {
		return down(err, "The tool server at %s has no model for that.", host)
	}
	return down(err, "The tool server at %s does not have the model %s.", host, model)
}
