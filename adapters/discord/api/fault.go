package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/download"
)

// Error codes ("JSON Error Codes" in Discord's documentation) that callers decide by.
const (
	UnknownChannel        = discordgo.ErrCodeUnknownChannel
	UnknownMessage        = discordgo.ErrCodeUnknownMessage
	MissingAccess         = discordgo.ErrCodeMissingAccess
	MissingPermissions    = discordgo.ErrCodeMissingPermissions
	WrongChannelType      = discordgo.ErrCodeCannotExecuteActionOnThisChannelType
	InvalidForm           = discordgo.ErrCodeInvalidFormBody
	AlreadyAnswered       = discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged
	NoHistoryForReply     = 160002
	tooManyFollowUps      = 40094  // as a guest
	TitleBlocked          = 200001 // by a rule of the server
	ThreadArchived        = 50083
	ThreadExists          = 160004
	NoMessageForThread    = 50068
	threadLocked          = 160005
	uploadsLimited        = 400001 // on this server
	messageBlocked        = 200000 // by a rule of the server, "AutoMod"
	linkBlocked           = 240000 // known to be harmful
	fileTooLarge          = discordgo.ErrCodeFileUploadedExceedsTheMaximumSize
	fileRefused           = discordgo.ErrCodeInvalidFileUploaded
	interactionTokenEnded = discordgo.ErrCodeInvalidWebhookTokenProvided
)

// errUnread means that an answer is not Discord's JSON.
var errUnread = errors.New("discord: an answer")

// refusal is an error response from Discord. It holds neither the request, which has the token, nor the text of
// the response.
type refusal struct {
	status, code int
	fields       string // the refused fields of a form
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("discord: HTTP %d, code %d", r.status, r.code)
	if r.fields != "" {
		text += ": " + r.fields
	}
	return text
}

// maxFields is how many refused fields of a form are listed.
const maxFields = 5

// refusedFields lists the fields of a form that Discord rejects, each with the codes of the reasons. It leaves out
// messages, which may quote people.
func refusedFields(answer []byte) string {
	var told struct {
		Errors map[string]any `json:"errors"`
	}
	if json.Unmarshal(answer, &told) != nil {
		return ""
	}
	var all []string
	var walk func(at string, in map[string]any)
	walk = func(at string, in map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(in)) {
			switch inner := in[key].(type) {
			case map[string]any:
				walk(strings.TrimPrefix(at+"."+word(key), "."), inner)
			case []any: // its key is "_errors"
				for _, one := range inner {
					fault, _ := one.(map[string]any)  //nolint:errcheck // nothing has no code
					code, _ := fault["code"].(string) //nolint:errcheck // the same
					all = append(all, at+" "+word(code))
				}
			}
		}
	}
	walk("", told.Errors)
	return strings.Join(all[:min(len(all), maxFields)], ", ")
}

var notWord = regexp.MustCompile(`[^0-9A-Za-z_]`)

// word returns a name as Discord writes it, without anything else that a server might send.
func word(s string) string { return notWord.ReplaceAllString(s[:min(len(s), 60)], "") }

// IsTransient reports whether an error may go away. A rejected token may, since the gateway ends if it is rejected
// for good.
func IsTransient(err error) bool {
	return err != nil && (!adapters.Final(err) || errors.Is(err, adapters.ErrRefused))
}

// IsMalformed reports whether Discord refuses the form of a call.
func IsMalformed(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusBadRequest && r.code != fileRefused && errors.Is(err, adapters.ErrInvalid)
}

// IsRefused reports whether Discord will never accept a call as it is, though another call there may succeed.
func IsRefused(err error) bool {
	return errors.Is(err, adapters.ErrForbidden) || errors.Is(err, adapters.ErrInvalid) || errors.Is(err, adapters.ErrGone)
}

// IsRefusedForm reports whether Discord rejects the form of a call and may accept an older form: it is malformed,
// or forbidden for an unknown reason.
func IsRefusedForm(err error) bool {
	return IsMalformed(err) || errors.Is(err, adapters.ErrForbidden) && HasCode(err, 0)
}

// IsUnknownMethod reports whether the server, which is then not Discord's own, lacks a call.
func IsUnknownMethod(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && (r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed)
}

// IsForeign reports whether a server answered a call for the bot's account unlike any server with Discord's
// protocol: with a page, or with a status that means there is no such address.
func IsForeign(err error) bool {
	return errors.Is(err, errUnread) || errors.Is(err, adapters.ErrGone) || errors.Is(err, adapters.ErrInvalid)
}

// HasCode reports whether Discord answered a call with one of these codes.
func HasCode(err error, codes ...int) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && slices.Contains(codes, r.code)
}

// fault converts an error of the library to one of the adapters.
func fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*adapters.Fault](err); ok {
		return f
	}
	rest, ok := errors.AsType[*discordgo.RESTError](err)
	if !ok {
		return &adapters.Fault{Sentence: "Discord cannot be reached. I will try again.", Err: download.Detail(err)}
	}
	r := &refusal{status: rest.Response.StatusCode, fields: refusedFields(rest.ResponseBody)}
	if rest.Message != nil {
		r.code = rest.Message.Code
	}
	f := &adapters.Fault{Err: r}
	switch {
	case r.code == interactionTokenEnded:
		f.Kind, f.Sentence = adapters.ErrGone, "It is too late to answer this on Discord. Please try again."
	case r.status == http.StatusUnauthorized:
		f.Kind, f.Sentence = adapters.ErrRefused, "Discord rejected the token. The operator must set a new DISCORD_TOKEN."
	case r.status == http.StatusRequestEntityTooLarge || r.code == discordgo.ErrCodeRequestEntityTooLarge || r.code == fileTooLarge:
		f.Kind, f.Sentence = adapters.ErrTooLarge, "The files are larger than the chat platform allows."
	case r.code == fileRefused:
		f.Kind, f.Sentence = adapters.ErrInvalid, "Discord rejected one of the files."
	case r.code == tooManyFollowUps:
		f.Kind, f.Sentence = adapters.ErrForbidden, "Discord lets me send no more messages for one command here. Please ask again."
	case r.code == uploadsLimited:
		f.Kind, f.Sentence = adapters.ErrForbidden, "Discord does not allow files on this server at the moment."
	case r.code == messageBlocked || r.code == linkBlocked:
		f.Kind, f.Sentence = adapters.ErrForbidden, "A rule of the server or of Discord does not allow this message here."
	case r.code == ThreadArchived || r.code == threadLocked:
		f.Kind, f.Sentence = adapters.ErrForbidden, "The thread is closed. Someone who may manage threads can reopen it."
	case r.status == http.StatusForbidden:
		f.Kind, f.Sentence = adapters.ErrForbidden, "The bot is not allowed to do this on Discord. "+
			"An admin of the server can give it the permissions that its invitation asks for."
	case r.status == http.StatusNotFound:
		f.Kind, f.Sentence = adapters.ErrGone, "The channel, thread or message no longer exists on Discord."
	case r.status >= http.StatusInternalServerError:
		f.Sentence = "Discord has a problem on its side. I will try again."
	default:
		f.Kind, f.Sentence = adapters.ErrInvalid, "Discord rejected this. This is a bug in the program."
	}
	return f
}

// NamePermissions adds to an error the permissions that the bot may lack.
func NamePermissions(err error, permissions string) error {
	f, ok := errors.AsType[*adapters.Fault](err)
	if !ok || !HasCode(err, MissingAccess, MissingPermissions) {
		return err
	}
	named := *f
	named.Sentence = "The bot lacks a permission here: %s. An admin of the server can give it to the bot's role."
	named.Args = []any{permissions}
	return &named
}

// CheckIDs returns a fault if an id cannot be one of Discord's.
func CheckIDs(ids ...string) error {
	for _, id := range ids {
		if !convert.IsID(id) {
			return &adapters.Fault{Sentence: "There is no such channel, thread or message on Discord.", Kind: adapters.ErrGone}
		}
	}
	return nil
}

// CheckThread returns a fault if the thread is on another platform.
func CheckThread(t adapters.Thread) error {
	if t.Adapter != convert.Name {
		return &adapters.Fault{Sentence: "This conversation is not on Discord.", Kind: adapters.ErrInvalid}
	}
	return nil
}
