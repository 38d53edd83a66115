package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/download"
)

// refusal is the meaning of an error code of Slack's.
type refusal struct {
	kind     error
	sentence string
}

// refusals are the known codes, see the errors of each method on
// https://docs.slack.dev/reference/methods. The code missing_scope also names the scope.
var refusals = map[string]refusal{
	"channel_not_found": {adapters.ErrGone, "This channel no longer exists, or the bot is not allowed to see it."},
	"is_archived":       {adapters.ErrGone, "This channel is archived: nothing can be written there."},
	"message_not_found": {adapters.ErrGone, "The message no longer exists."},
	"thread_not_found":  {adapters.ErrGone, "The thread no longer exists."},
	"file_not_found":    {adapters.ErrGone, "The file no longer exists. Please send it again."},
	"file_deleted":      {adapters.ErrGone, "The file no longer exists. Please send it again."},
	"user_not_visible":  {adapters.ErrGone, "This person no longer exists in the workspace."},
	"user_not_found":    {adapters.ErrGone, "This person no longer exists in the workspace."},

	"not_in_channel":                        {adapters.ErrForbidden, "The bot is not in this channel: invite it with /invite."},
	"restricted_action":                     {adapters.ErrForbidden, restricted},
	"access_denied":                         {adapters.ErrForbidden, restricted},
	"ekm_access_denied":                     {adapters.ErrForbidden, restricted},
	"no_permission":                         {adapters.ErrForbidden, restricted},
	"user_is_restricted":                    {adapters.ErrForbidden, restricted},
	"cant_update_message":                   {adapters.ErrForbidden, unedited},
	"cant_delete_message":                   {adapters.ErrForbidden, restricted},
	"cant_delete_file":                      {adapters.ErrForbidden, restricted},
	"edit_window_closed":                    {adapters.ErrForbidden, unedited},
	"posting_to_channel_denied":             {adapters.ErrForbidden, restricted},
	"file_uploads_disabled":                 {adapters.ErrForbidden, "This workspace does not allow files."},
	"file_uploads_except_images_disabled":   {adapters.ErrForbidden, "This workspace allows no files except pictures."},
	"file_type_not_allowed":                 {adapters.ErrForbidden, "This workspace does not allow files of this kind."},
	"storage_limit_reached":                 {adapters.ErrForbidden, "The workspace has no space left for files."},
	"team_access_not_granted":               {adapters.ErrForbidden, restricted},
	"method_not_supported_for_channel_type": {adapters.ErrForbidden, restricted},
	"channel_type_not_supported":            {adapters.ErrForbidden, restricted},

	"invalid_auth":           {adapters.ErrRefused, refusedToken},
	"not_authed":             {adapters.ErrRefused, refusedToken},
	"token_revoked":          {adapters.ErrRefused, refusedToken},
	"token_expired":          {adapters.ErrRefused, refusedToken},
	"account_inactive":       {adapters.ErrRefused, refusedToken},
	"not_allowed_token_type": {adapters.ErrRefused, refusedToken},

	"file_upload_size_restricted": {adapters.ErrTooLarge, "The file is larger than Slack allows here."},
	"file_too_large":              {adapters.ErrTooLarge, "The file is larger than Slack allows here."},

	"unknown_method": {adapters.ErrInvalid, unoffered}, // from a server other than Slack's own

	"ratelimited":  {adapters.ErrRateLimited, "Slack is limiting requests. Please try again later."},
	"rate_limited": {adapters.ErrRateLimited, "Slack is limiting requests. Please try again later."},

	"internal_error":      {nil, Unreached},
	"fatal_error":         {nil, Unreached},
	"service_unavailable": {nil, Unreached},
	"request_timeout":     {nil, Unreached},
	"team_added_to_org":   {nil, Unreached},
}

const (
	restricted   = "The bot is not allowed to do this here. An admin of the workspace must allow it."
	refusedToken = "Slack rejected the bot token. Check SLACK_BOT_TOKEN: it is on the app's page OAuth & Permissions, once the app is installed."
	// Unreached says that Slack does not answer, and that the program tries again.
	Unreached    = "Slack is not responding as it should. I will try again."
	unoffered    = "The server at SLACK_API_URL does not support this."
	unreachedNow = "Slack is not responding as it should. Please try again."
	unedited     = "Slack no longer allows edits to this message."
	misread      = "Slack rejected what was sent. This is a bug in the program."
)

// Fault converts an error of the library to one that callers of adapters decide by. It holds no token, no URL and
// nothing that people wrote.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*adapters.Fault](err); ok {
		return own
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			return ended
		}
	}
	if own, ok := errors.AsType[notSlackError](err); ok {
		return own.error
	}
	if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
		return rateLimited(limited.RetryAfter)
	}
	if refused, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return refusedBy(refused)
	}
	if IsUnknownMethod(err) {
		return &adapters.Fault{Sentence: unoffered, Kind: adapters.ErrInvalid, Err: errors.New("unknown slack method")}
	}
	if status, ok := errors.AsType[slack.StatusCodeError](err); ok {
		if status.Code == http.StatusRequestEntityTooLarge {
			return refusedBy(slack.SlackErrorResponse{Err: "file_too_large"})
		}
		return &adapters.Fault{Sentence: Unreached, Err: fmt.Errorf("slack answers %d", status.Code)}
	}
	return &adapters.Fault{Sentence: Unreached, Err: download.Detail(err)}
}

func refusedBy(r slack.SlackErrorResponse) error {
	code := Code(r.Err)
	detail := errors.New("slack says " + code + where(r.ResponseMetadata.Messages))
	if code == "missing_scope" {
		return &adapters.Fault{
			Sentence: "The app lacks the scope %s: add it under “OAuth & Permissions”, and reinstall the app.", Args: []any{Code(r.Needed)},
			Kind: adapters.ErrForbidden, Err: detail,
		}
	}
	known, ok := refusals[code]
	switch {
	case ok:
	case strings.HasPrefix(code, "restricted_action"):
		known = refusals["restricted_action"]
	case ofForm(code):
		known = refusal{adapters.ErrInvalid, misread}
	default:
		known = refusal{nil, Unreached}
	}
	f := &adapters.Fault{Sentence: known.sentence, Kind: known.kind, Err: detail}
	if errors.Is(f.Kind, adapters.ErrRateLimited) {
		f.After = retryAfter(nil)
	}
	return f
}

// ofForm reports whether a code is about the form of a message.
func ofForm(code string) bool {
	_, other := refusals[code]
	return !other && (strings.HasPrefix(code, "invalid_") || strings.HasPrefix(code, "msg_") || strings.HasPrefix(code, "too_many_") || code == "no_text")
}

// IsMalformed reports whether Slack rejects the form of a message.
func IsMalformed(err error) bool {
	r, ok := errors.AsType[slack.SlackErrorResponse](err)
	return ok && ofForm(r.Err)
}

// pointer matches Slack's references to the wrong part of a message.
var pointer = regexp.MustCompile(`\[json-pointer:(/[a-z0-9_/]{1,100})\]`)

// where lists the parts of a message that Slack rejects. It leaves out Slack's text, which may quote the message.
func where(messages []string) string {
	var all []string
	for _, m := range messages[:min(len(messages), maxPointers)] {
		if found := pointer.FindStringSubmatch(m); found != nil {
			all = append(all, found[1])
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " at " + strings.Join(all, ", ")
}

// maxPointers is how many parts of a message are listed.
const maxPointers = 5

// Code returns an error code of Slack's, or "unknown" for anything else that a server might send.
func Code(code string) string {
	if code == "" || len(code) > 100 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz0123456789_:.,") != "" {
		return "unknown"
	}
	return code
}

// HasCode reports whether Slack rejected a call with one of these codes.
func HasCode(err error, codes ...string) bool {
	r, ok := errors.AsType[slack.SlackErrorResponse](err)
	if !ok {
		return false
	}
	return slices.Contains(codes, r.Err)
}

// IsUnknownMethod reports whether the server lacks a method, and so is not Slack's own.
func IsUnknownMethod(err error) bool {
	if status, ok := errors.AsType[slack.StatusCodeError](err); ok {
		return status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed || status.Code == http.StatusNotImplemented
	}
	return HasCode(err, "unknown_method")
}

// IsNotPosted reports whether a call certainly did nothing.
func IsNotPosted(err error) bool {
	if r, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		known, ok := refusals[r.Err]
		return !ok || known.kind != nil
	}
	_, limited := errors.AsType[*slack.RateLimitedError](err)
	_, before := errors.AsType[notPostedError](err)
	return limited || before || errors.Is(err, adapters.ErrRateLimited)
}

// notPostedError is an error from before anything was posted.
type notPostedError struct{ error }

func (u notPostedError) Unwrap() error { return u.error }

// NotPosted marks an error that came before anything was posted.
func NotPosted(err error) error { return notPostedError{err} }

// notSlackError is an error that is not Slack's.
type notSlackError struct{ error }

func (l notSlackError) Unwrap() error { return l.error }

// NotSlack marks an error that is not Slack's, such as one of a file to upload.
func NotSlack(err error) error { return notSlackError{err} }

// Invalid returns the error of a call that the contract does not allow.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", adapters.ErrInvalid, fmt.Sprintf(format, args...))
}

// AsFault returns the fault that an error wraps, if any.
func AsFault(err error) (*adapters.Fault, bool) { return errors.AsType[*adapters.Fault](err) }

// Message returns the sentence that tells a person why a request by a command or a button failed. It promises no
// retry, because such requests are not retried.
func Message(f *adapters.Fault) string {
	if f.Sentence == Unreached {
		return unreachedNow
	}
	return f.Sentence
}
