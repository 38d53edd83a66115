package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/edge"
)

// The codes of errors that are decided by: "JSON Error Codes" of the documentation.
const (
	unknownChannel     = discordgo.ErrCodeUnknownChannel
	unknownMessage     = discordgo.ErrCodeUnknownMessage
	requestTooLarge    = 40005
	fileTooLarge       = 50045
	fileRefused        = 50046
	uploadsLimited     = 400001 // on this server
	missingAccess      = discordgo.ErrCodeMissingAccess
	missingPermissions = discordgo.ErrCodeMissingPermissions
	wrongChannelType   = 50024
	interactionOver    = 50027 // its token is taken no longer
	invalidForm        = 50035
	alreadyAnswered    = 40060 // an interaction
	noHistoryForReply  = 160002
	messageBlocked     = 200000 // by a rule of the server, "AutoMod"
	titleBlocked       = 200001 // by the same
	linkBlocked        = 240000 // which is known to do harm
	threadArchived     = 50083
	threadExists       = 160004
	threadLocked       = 160005
	noMessageForThread = 50068
)

// refusal is what Discord has answered in the place of what was asked for. It holds nothing
// of the request, which has the token, and nothing of the answer's words.
type refusal struct {
	status, code int
	fields       string // what is wrong with which field of a form
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("discord: HTTP %d, code %d", r.status, r.code)
	if r.fields != "" {
		text += ": " + r.fields
	}
	return text
}

// maxFields is how many fields of a form are told of.
const maxFields = 5

// complaints are the fields of a form that Discord refuses, each with the codes of what is
// wrong. Its messages are left out, since they may quote.
func complaints(answer []byte) string {
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
			case []any:
				for _, one := range inner {
					fault, _ := one.(map[string]any)     //nolint:errcheck // nothing has no code
					code, _ := fault["code"].(string)    //nolint:errcheck // the same
					all = append(all, at+" "+word(code)) // at, since the key is "_errors"
				}
			}
		}
	}
	walk("", told.Errors)
	return strings.Join(all[:min(len(all), maxFields)], ", ")
}

// word is a name as Discord writes it, and nothing else that a server might say.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (isWord(byte(r)) || r == '_') { //nolint:gosec // it is ASCII
			return r
		}
		return -1
	}, s[:min(len(s), 60)])
}

// malformed tells whether Discord refuses the form of a call.
func malformed(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == http.StatusBadRequest && r.code != fileRefused && errors.Is(err, adapters.ErrInvalid)
}

// is tells whether an error is a refusal by one of these codes.
func is(err error, codes ...int) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && slices.Contains(codes, r.code)
}

// fault is what an error of the library is for those who call an adapter.
func fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*adapters.Fault](err); ok {
		return f
	}
	rest, ok := errors.AsType[*discordgo.RESTError](err)
	if !ok {
		return &adapters.Fault{Sentence: "Discord cannot be reached. It is tried again.", Err: edge.Detail(err)}
	}
	r := &refusal{status: rest.Response.StatusCode, fields: complaints(rest.ResponseBody)}
	if rest.Message != nil {
		r.code = rest.Message.Code
	}
	f := &adapters.Fault{Err: r}
	switch {
	case r.code == interactionOver:
		f.Kind, f.Sentence = adapters.ErrGone, "Discord takes no answer to this any more: it is too long ago. Do it again."
	case r.status == http.StatusUnauthorized:
		f.Kind, f.Sentence = adapters.ErrRefused, "Discord does not take the token. Whoever runs the program must set DISCORD_TOKEN anew."
	case r.status == http.StatusRequestEntityTooLarge || r.code == requestTooLarge || r.code == fileTooLarge:
		f.Kind, f.Sentence = adapters.ErrTooLarge, "The files are larger than the platform takes."
	case r.code == fileRefused:
		f.Kind, f.Sentence = adapters.ErrInvalid, "Discord finds fault with a file, and does not take it."
	case r.code == uploadsLimited:
		f.Kind, f.Sentence = adapters.ErrForbidden, "Discord lets nobody send files on this server now."
	case r.code == messageBlocked || r.code == linkBlocked:
		f.Kind, f.Sentence = adapters.ErrForbidden, "A rule of the server or of Discord does not let this be written here."
	case r.code == threadArchived || r.code == threadLocked:
		f.Kind, f.Sentence = adapters.ErrForbidden, "The thread is closed. Whoever may manage threads can open it again."
	case r.status == http.StatusForbidden:
		f.Kind, f.Sentence = adapters.ErrForbidden, "The bot may not do this on Discord. Whoever runs the server can give it the permissions of its invitation."
	case r.status == http.StatusNotFound:
		f.Kind, f.Sentence = adapters.ErrGone, "The channel, thread or message is not there any more on Discord."
	case r.status >= http.StatusInternalServerError:
		f.Sentence = "Discord has a fault of its own. It is tried again."
	default:
		f.Kind, f.Sentence = adapters.ErrInvalid, "Discord does not take this. It is a fault of the program."
	}
	return f
}

// lacking says in an error that a permission is missing which one that is.
func lacking(err error, permissions string) error {
	f, ok := errors.AsType[*adapters.Fault](err)
	if !ok || !is(err, missingAccess, missingPermissions) {
		return err
	}
	named := *f
	named.Sentence = "The bot lacks a permission here: %s. Whoever runs the server can give it to the bot's role."
	named.Args = []any{permissions}
	return &named
}

// nowhere is the fault of an address that cannot be one of Discord's.
func nowhere() error {
	return &adapters.Fault{Sentence: "There is no such channel, thread or message on Discord.", Kind: adapters.ErrGone}
}
