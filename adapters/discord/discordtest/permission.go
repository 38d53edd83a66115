package discordtest

import "atelier/adapters/discord/discordtest/form"

// Permission is a set of permissions.
type Permission uint64

// The permissions that are checked.
const (
	Administrator  Permission = 1 << 3
	AddReactions   Permission = 1 << 6
	View           Permission = 1 << 10
	Send           Permission = 1 << 11
	ManageMessages Permission = 1 << 13
	EmbedLinks     Permission = 1 << 14
	AttachFiles    Permission = 1 << 15
	ReadHistory    Permission = 1 << 16
	MentionAll     Permission = 1 << 17 // @everyone, @here and all roles
	UseCommands    Permission = 1 << 31
	CreateThreads  Permission = 1 << 35
	SendInThreads  Permission = 1 << 38
	SendVoice      Permission = 1 << 46
)

// ordinary are everybody's permissions in a new guild.
const ordinary = AddReactions | View | Send | EmbedLinks | AttachFiles | ReadHistory | MentionAll |
	UseCommands | CreateThreads | SendInThreads | SendVoice

// everything are an administrator's permissions.
const everything = ordinary | Administrator | ManageMessages

// permits returns the permissions of a user in a guild.
func (g *guild) permits(user string) Permission {
	p := ordinary
	for _, r := range g.roles {
		if g.has(user, r.id) {
			p |= r.permits
		}
	}
	if p&Administrator != 0 {
		p = everything
	}
	return p
}

// refusal is the error of a call.
type refusal struct {
	status, code int
	message      string
	fields       object // what is wrong with each field of a form
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
var (
	unauthorized       = &refusal{status: 401, message: "401: Unauthorized"}
	notFound           = &refusal{status: 404, message: "404: Not Found"}
	unknownChannel     = &refusal{status: 404, code: 10003, message: "Unknown Channel"}
	unknownGuild       = &refusal{status: 404, code: 10004, message: "Unknown Guild"}
	unknownMember      = &refusal{status: 404, code: 10007, message: "Unknown Member"}
	unknownMessage     = &refusal{status: 404, code: 10008, message: "Unknown Message"}
	voiceContent       = &refusal{status: 400, code: 50159, message: "Voice messages do not support additional content"}
	voiceFiles         = &refusal{status: 400, code: 50160, message: "Voice messages must have a single audio attachment"}
	voiceMetadata      = &refusal{status: 400, code: 50161, message: "Voice messages must have supporting metadata"}
	voiceForbidden     = &refusal{status: 403, code: 50173, message: "Cannot send voice messages in this channel"}
	unknownUser        = &refusal{status: 404, code: 10013, message: "Unknown User"}
	unknownEmoji       = &refusal{status: 400, code: 10014, message: "Unknown Emoji"}
	unknownWebhook     = &refusal{status: 404, code: 10015, message: "Unknown Webhook"}
	unknownInteraction = &refusal{status: 404, code: 10062, message: "Unknown interaction"}
	tooManyReactions   = &refusal{status: 400, code: 30010, message: "Maximum number of reactions reached (20)"}
	tooLarge           = &refusal{status: 413, code: 40005, message: "Request entity too large"}
	acknowledged       = &refusal{status: 400, code: 40060, message: "Interaction has already been acknowledged."}
	missingAccess      = &refusal{status: 403, code: 50001, message: "Missing Access"}
	notInDM            = &refusal{status: 403, code: 50003, message: "Cannot execute action on a DM channel"}
	notTheAuthor       = &refusal{status: 403, code: 50005, message: "Cannot edit a message authored by another user"}
	emptyMessage       = &refusal{status: 400, code: 50006, message: "Cannot send an empty message"}
	noText             = &refusal{status: 400, code: 50008, message: "Cannot send messages in a non-text channel"}
	missingPermissions = &refusal{status: 403, code: 50013, message: "Missing Permissions"}
	wrongChannel       = &refusal{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	badWebhookToken    = &refusal{status: 401, code: 50027, message: "Invalid Webhook Token"}
	tooManyFollowUps   = &refusal{status: 400, code: 40094, message: "This interaction reached the maximum number of follow-up messages"}
	threadArchived     = &refusal{status: 400, code: 50083, message: "Thread is archived"}
	badJSON            = &refusal{status: 400, code: 50109, message: "The request body contains invalid JSON."}
	noHistory          = &refusal{status: 400, code: 160002, message: "Cannot reply without permission to read message history"}
	threadExists       = &refusal{status: 400, code: 160004, message: "A thread has already been created for this message"}
	threadLocked       = &refusal{status: 400, code: 160005, message: "Thread is locked"}
	tooManyThreads     = &refusal{status: 400, code: 160006, message: "Maximum number of active threads reached"}
	titleBlocked       = &refusal{status: 400, code: 200001, message: "Title was blocked by automatic moderation"}
)

// invalid returns the refusal of a form with a fault, or nil.
func invalid(f *form.Fault) *refusal {
	if f == nil {
		return nil
	}
	return badForm(f.Field, f.Code, f.Message)
}

// badForm returns the refusal of a form with one wrong field.
func badForm(field, code, message string) *refusal {
	return &refusal{
		status: 400, code: 50035, message: "Invalid Form Body",
		fields: object{field: object{"_errors": []object{{"code": code, "message": message}}}},
	}
}
