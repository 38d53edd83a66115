package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/edge"
)

// The codes of errors that are decided by: "JSON Error Codes" of the documentation.
const (
	unknownChannel     = discordgo.ErrCodeUnknownChannel
	unknownMessage     = discordgo.ErrCodeUnknownMessage
	requestTooLarge    = 40005
	missingAccess      = discordgo.ErrCodeMissingAccess
	missingPermissions = discordgo.ErrCodeMissingPermissions
	wrongChannelType   = 50024
	interactionOver    = 50027 // its token is taken no longer
	invalidForm        = 50035
	alreadyAnswered    = 40060 // an interaction
	noHistoryForReply  = 160002
	titleBlocked       = 200001 // by a rule of the server, "AutoMod"
	threadArchived     = 50083
	threadExists       = 160004
	threadLocked       = 160005
	noMessageForThread = 50068
)

// refusal is what Discord has answered in the place of what was asked for. It holds nothing
// of the request, which has the token, and nothing of the answer's words.
type refusal struct {
	status, code int
}

func (r *refusal) Error() string { return fmt.Sprintf("discord: HTTP %d, code %d", r.status, r.code) }

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
	r := &refusal{status: rest.Response.StatusCode}
	if rest.Message != nil {
		r.code = rest.Message.Code
	}
	f := &adapters.Fault{Err: r}
	switch {
	case r.code == interactionOver:
		f.Kind, f.Sentence = adapters.ErrGone, "Discord takes no answer to this any more: it is too long ago. Do it again."
	case r.status == http.StatusUnauthorized:
		f.Kind, f.Sentence = adapters.ErrRefused, "Discord does not take the token. Whoever runs the program must set DISCORD_TOKEN anew."
	case r.status == http.StatusRequestEntityTooLarge || r.code == requestTooLarge:
		f.Kind, f.Sentence = adapters.ErrTooLarge, "The files are larger than Discord takes here."
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
