package discord

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

// Account is the bot's account.
type Account struct {
	ID, Name    string
	Application string
	// Content reports whether the bot may read messages that do not mention it, by the privileged intent
	// of the developer portal.
	Content bool
	// Invite is the URL for adding the bot to a server, with the least permissions.
	Invite string
	// Install is the URL for a person to add the bot to their account, or "" if the application does not allow
	// that.
	Install string
}

// Look asks Discord who the bot is and what it is granted. If a configured server does not speak Discord's
// protocol, the error is an [adapters.ErrInvalid].
func (d *Discord) Look(ctx context.Context) (Account, error) {
	u, err := d.identity.Self(ctx)
	if d.config.APIURL != "" && (api.IsForeign(err) || err == nil && u.ID == "") {
		return Account{}, &adapters.Fault{
			Sentence: "This server does not speak Discord's protocol: check DISCORD_API_URL, which must end in /api/v9.",
			Kind:     adapters.ErrInvalid, Err: err,
		}
	}
	if err != nil {
		return Account{}, err
	}
	a := Account{ID: u.ID, Name: convert.DisplayName(u, nil), Application: u.ID}
	var app struct {
		ID    string `json:"id"`
		Flags int    `json:"flags"`
		// Kinds are how it can be installed: "0" by servers, "1" by people.
		Kinds map[string]any `json:"integration_types_config"`
	}
	err = d.api.Get(ctx, "applications/@me", &app)
	if errors.Is(err, adapters.ErrGone) { // another server may only have the older call
		err = d.api.Get(ctx, "oauth2/applications/@me", &app)
	}
	if err != nil {
		return Account{}, err
	}
	if app.ID != "" {
		a.Application = app.ID
	}
	// GATEWAY_MESSAGE_CONTENT, and the same for a bot in few servers.
	a.Content = app.Flags&(1<<18|1<<19) != 0
	a.Invite = Invite(a.Application)
	if _, ok := app.Kinds["1"]; ok {
		a.Install = address(url.Values{"client_id": {a.Application}, "scope": {"applications.commands"}, "integration_type": {"1"}})
	}
	return a, nil
}

// permissions are the minimum that the bot needs in a server.
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionCreatePublicThreads | discordgo.PermissionAttachFiles | discordgo.PermissionAddReactions | discordgo.PermissionReadMessageHistory

// Invite returns the URL for adding an application's bot to a server, with the least permissions.
func Invite(application string) string {
	q := url.Values{"client_id": {application}, "scope": {"bot applications.commands"}, "permissions": {strconv.FormatInt(permissions, 10)}}
	return address(q)
}

func address(q url.Values) string { return "https://discord.com/oauth2/authorize?" + q.Encode() }

// PostedAt is when a message was posted, which its id tells.
func (*Discord) PostedAt(m adapters.MessageRef) (time.Time, bool) {
	at := convert.CreatedAt(m.ID)
	return at, !at.IsZero()
}
