package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"atelier/agent/plan"
)

// Kind classifies a failure for callers.
type Kind string

// The kinds of failure.
const (
	KeyRefused   Kind = "key_refused"   // 401
	Forbidden    Kind = "forbidden"     // 403
	ModelUnknown Kind = "model_unknown" // 404, or stated in the message
	Limited      Kind = "limited"       // 429: too many requests, a retry may help
	Quota        Kind = "quota"         // 402, or 429 where a retry does not help
	TooLong      Kind = "too_long"      // longer than the model's context
	Rejected     Kind = "rejected"      // any other 4xx, or refused by the client itself
	Down         Kind = "down"          // 5xx, or no connection
	TimedOut     Kind = "timed_out"     // no complete answer within Config.Timeout
	Malformed    Kind = "malformed"     // not JSON, too large, truncated, or a redirect that is not followed
)

// Error is a server's failure; after retries, the last one.
type Error struct {
	Kind   Kind
	Status int           // HTTP status; 0 if there was no response
	After  time.Duration // when the server wants a retry; 0 if unknown
	// Code and Param are the server's own names for what it rejected, such as
	// context_length_exceeded and response_format; "" if missing.
	Code, Param string
	// Field is the request field that FastAPI rejected, such as body.width; "" if there is none.
	Field string
	// Loading means that a server that is Down is loading the model; After is then the expected
	// time.
	Loading bool
	// format means that the server failed because of response_format (see RefusesFormat); refused
	// is the parameter that it does not accept (see Refused).
	format  bool
	refused string
	// Err is the detail for the operator's log. It contains no key and no body, and the server's
	// message without quotations and anything that looks like a key.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("model server (%s): %v", e.Kind, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the *Error in err; "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// Loading reports whether a call failed because the model is still loading.
func Loading(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Loading
}

// Error names of servers, in code or type, for cases that the status does not decide. Sources:
// OpenAI API reference, error codes; Azure OpenAI; llama.cpp, tools/server; Moonshot; Mistral;
// GitHub Models; Anthropic.
var (
	quotaCodes = []string{
		"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
		"project_spend_limit_exceeded", "organization_usage_limit_exceeded",
		"billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error",
	}
	keyCodes   = []string{"invalid_api_key", "invalid_authentication_error", "authentication_error"}
	modelCodes = []string{
		"model_not_found", "deploymentnotfound", "operationnotsupported", "unknown_model",
		"invalid_model", "model_not_available",
	}
	lengthCodes = []string{
		"context_length_exceeded", "exceed_context_size_error", "context_exceeded",
		"string_above_max_length", "tokens_limit_reached", "request_too_large",
	}
	// These matter only if the status is not an error.
	limitCodes = []string{"rate_limit_exceeded", "rate_limit_error", "slow_down"}
	downCodes  = []string{"server_error", "server_is_overloaded", "overloaded_error", "api_error"}
)

// Messages of servers without such names, in lower case.
var (
	lengthWords = []string{
		"maximum context length", "context length is only", "max_tokens must be at least 1, got -", // vLLM
		"longer than the maximum model length", "too long to fit into the model", // vLLM's engine
		"exceeds the context length", "prompt too long", // Ollama
		"available context size", "exceed context window", // llama.cpp, llama-cpp-python
		"longer than the model's context length", "`inputs` must have less than", // SGLang, Text Generation Inference
		"the context window", "prompt is too long", "too large for model with", // OpenAI, Anthropic, Mistral
		"exceeds the maximum number of tokens", // Gemini
		"request too large for",                // more at once than the limit per minute: waiting does not help
	}
	modelWords = []string{
		"model not exist", "is not a valid model", "invalid model:", "invalid model id", // DeepSeek, OpenRouter, Mistral, OpenAI
		"could not load model", // LocalAI, with 500
	}
	keyWords = []string{"api key not valid"} // Gemini, with 400
)

// sortOf classifies a refusal by its status and message.
func sortOf(status int, r refusal) Kind {
	switch {
	case status >= 300 && status < 400:
		return Malformed
	case status == http.StatusUnauthorized:
		return KeyRefused
	case status == http.StatusPaymentRequired, r.named(quotaCodes):
		return Quota
	case r.named(modelCodes):
		return ModelUnknown
	case r.named(lengthCodes):
		return TooLong
	case status == http.StatusForbidden:
		return Forbidden
	case status == http.StatusNotFound:
		return ModelUnknown
	case r.named(keyCodes), r.says(keyWords):
		return KeyRefused
	case r.says(lengthWords), status == http.StatusRequestEntityTooLarge:
		return TooLong
	case r.says(modelWords), r.missesModel(), status == http.StatusBadRequest && r.param == "model":
		return ModelUnknown
	case status == http.StatusTooManyRequests, status < 300 && r.named(limitCodes):
		return Limited
	case status == http.StatusRequestTimeout:
		return TimedOut
	case status >= http.StatusInternalServerError, status < 300 && r.named(downCodes):
		return Down
	}
	return Rejected
}

func (r refusal) named(codes []string) bool {
	return slices.Contains(codes, strings.ToLower(r.code)) || slices.Contains(codes, strings.ToLower(r.kind))
}

func (r refusal) says(words []string) bool {
	m := strings.ToLower(r.message)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m, w) })
}

// missesModel reports whether the message has the form "model X not found".
func (r refusal) missesModel() bool {
	m := strings.ToLower(r.message)
	_, after, ok := strings.Cut(m, "model")
	return ok && (strings.Contains(after, "does not exist") || strings.Contains(after, "not found"))
}

// Explain turns an error of a Client call into a *plan.Fault that wraps an *Error: it says what
// happened and what to do, using this server's names of the settings, and has the detail. The model
// is the one that was requested. Context errors and Faults are returned unchanged.
func (e *Endpoint) Explain(err error, model string) error {
	return e.names.explain(err, model, e.key == "")
}

// Explain is [Endpoint.Explain] for a server that was sent a key, with the default names of the
// settings.
func Explain(err error, model string) error { return Names{}.explain(err, model, false) }

// explain is [Endpoint.Explain]; keyless means that no key was sent.
func (n Names) explain(err error, model string, keyless bool) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*plan.Fault](err); ok {
		return err
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		e = errorOf(err)
	}
	if keyless && e.Kind == KeyRefused {
		return &plan.Fault{
			Sentence: plan.Say("The model server needs a key, and none is set. Please ask the operator to set it."), Err: e,
			Operator: plan.Say("The model server needs a key, and none is set: set %s.", n.key()),
		}
	}
	return &plan.Fault{Sentence: sentence(e, model), Operator: n.advice(e, model), Err: e}
}

// errorOf classifies go-openai's own errors. A RequestError may contain an APIError without the
// status, so it is checked first.
func errorOf(err error) *Error {
	if r, ok := errors.AsType[*openai.RequestError](err); ok {
		return newError(r.HTTPStatusCode, parseRefusal(r.Body), nil, nil)
	}
	if a, ok := errors.AsType[*openai.APIError](err); ok {
		r := refusal{message: a.Message, kind: a.Type}
		if a.Code != nil {
			r = r.withCode(fmt.Sprint(a.Code))
		}
		if a.Param != nil {
			r.param = *a.Param
		}
		return newError(a.HTTPStatusCode, r, nil, nil)
	}
	if unreadable(err) {
		return &Error{Kind: Malformed, Err: fmt.Errorf("unexpected JSON in the answer: %s", secrets(nil).detail(err.Error()))}
	}
	e := &Error{Kind: Rejected, Err: errors.New(secrets(nil).detail(plain(err)))}
	e.refused = refusedBefore(err)
	e.Param = e.refused
	if _, ok := errors.AsType[net.Error](err); ok {
		e.Kind = Down
	}
	if timedOut(err) {
		e.Kind = TimedOut
	}
	return e
}

// unreadable reports whether an answer could not be decoded.
func unreadable(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, shape := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || shape || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// filtered are the error codes for violated content rules (OpenAI, Azure).
var filtered = map[string]bool{
	"content_filter": true, "contentfilter": true, "content_policy_violation": true, "moderation_blocked": true, "responsibleaipolicyviolation": true,
}

// key returns the name of the key's setting.
func (n Names) key() string { return cmp.Or(n.Key, "OPENAI_API_KEY") }

// advice returns the operator's sentence if a setting may help; zero otherwise.
func (n Names) advice(e *Error, model string) plan.Message {
	base := cmp.Or(n.BaseURL, "OPENAI_BASE_URL")
	switch e.Kind { //nolint:exhaustive // no setting helps against the others
	case KeyRefused:
		return plan.Say("The model server refused the key: check %s.", n.key())
	case ModelUnknown:
		named := cmp.Or(n.Model, "OPENAI_MODEL")
		if model = called(model); model == "" {
			return plan.Say("The model server does not have this model: check %s and %s.", named, base)
		}
		return plan.Say("The model server does not have the model %q: check %s and %s.", model, named, base)
	case Down:
		if !e.Loading {
			return plan.Say("The model server does not answer: check that it is running, and %s.", base)
		}
	case Malformed:
		return plan.Say("The model server's answer could not be read: check %s.", base)
	}
	return plan.Message{}
}

// sentence returns the sentence for people.
func sentence(e *Error, model string) plan.Message {
	switch e.Kind {
	case KeyRefused:
		return plan.Say("The model server refused the key. Please ask the operator to check it.")
	case Forbidden:
		return plan.Say("The model server does not allow this with the key that is set. Please ask the operator to check what the key may use.")
	case ModelUnknown:
		if model = called(model); model == "" {
			return plan.Say("The model server does not have this model. Please ask the operator to check which one is set.")
		}
		return plan.Say("The model server does not have the model %q. Please ask the operator to check which one is set.", model)
	case Limited:
		return plan.Say("The model server is getting too many requests at the moment. Please try again in %s.", span(e.After))
	case Quota:
		return plan.Say("The quota at the model server is used up. Please ask the operator to look at the account's plan and billing.")
	case TooLong:
		return plan.Say("This is too long for the model. Please shorten the text, send less, or start a new thread.")
	case Down:
		if e.Loading {
			return plan.Say("The model is still loading. Please try again in %s.", span(e.After))
		}
		return plan.Say("The model server does not answer. Please try again later; if that does not help, ask the operator to check that it is running.")
	case TimedOut:
		return plan.Say("The model took too long to answer. Please try again, or ask for less at once.")
	case Malformed:
		return plan.Say("The model server's answer could not be read. Please try again; if that does not help, ask the operator to check the server's address.")
	case Rejected:
	}
	if filtered[strings.ToLower(e.Code)] {
		return plan.Say("The model's provider declined this because of its content rules. Please rephrase your request, or ask for something else.")
	}
	return plan.Say("The model server rejected the request. Please rephrase it; if that does not help, ask the operator to check the log.")
}

// called shortens a model's name for people: a file path becomes its base name.
func called(model string) string {
	if strings.HasPrefix(model, "/") || strings.HasPrefix(model, ".") || strings.Contains(model, `\`) {
		return path.Base(strings.ReplaceAll(model, `\`, "/"))
	}
	return model
}

// span words a duration for people; "a minute" if it is unknown.
func span(d time.Duration) plan.Message {
	if d <= 0 {
		return plan.Say("a minute")
	}
	return plan.Wait(d)
}

// LabelHeader is the header that identifies a call to the server: "your own unique identifier",
// ASCII, at most 512 characters (OpenAI API reference, debugging requests). Other servers ignore
// it.
const LabelHeader = "X-Client-Request-Id"

const (
	maxRequest = 400 // characters of the header
	maxJob     = 80
)

type labelKey struct{}

// Label labels the calls made with the context by request, job and round, so that recordings, tests
// and operators can tell them apart. The label is sent along. Overlong names are truncated.
func Label(ctx context.Context, request, job string, round int) context.Context {
	label := escape(request, maxRequest) + "/" + escape(job, maxJob) + "/" + strconv.Itoa(round)
	return context.WithValue(ctx, labelKey{}, label)
}

// label returns the label of a context; "" if there is none.
func label(ctx context.Context) string {
	if s, ok := ctx.Value(labelKey{}).(string); ok {
		return s
	}
	return ""
}

// escape percent-encodes s for use between the slashes of a label, truncated to n characters.
func escape(s string, n int) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		e := url.PathEscape(string(r))
		if b.Len()+len(e) > n {
			break
		}
		b.WriteString(e)
	}
	return b.String()
}

// ParseLabel parses a header set by Label.
func ParseLabel(header string) (request, job string, round int, ok bool) {
	parts := strings.Split(header, "/")
	if len(parts) != 3 {
		return "", "", 0, false
	}
	request, err := url.PathUnescape(parts[0])
	if err != nil {
		return "", "", 0, false
	}
	if job, err = url.PathUnescape(parts[1]); err != nil {
		return "", "", 0, false
	}
	if round, err = strconv.Atoi(parts[2]); err != nil {
		return "", "", 0, false
	}
	return request, job, round, true
}

// setLabel sets the label header of a request.
func setLabel(req *http.Request) {
	if s := label(req.Context()); s != "" {
		req.Header.Set(LabelHeader, s)
	}
}
