package lookup

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

// Links resolves links to messages and files of Discord.
type Links struct {
	Messages *Messages
	// Files reports whether a URL is on a host of Discord's files.
	Files func(*url.URL) bool
}

// hosts are the hosts of links to messages.
var hosts = []string{"discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"}

// Linked returns the message or the file that a link points to. A message must be in the same channel or a public thread of
// it: not everybody here may read another one. Anybody with the link to a file may open it.
func (ls *Links) Linked(ctx context.Context, in adapters.Thread, link *url.URL) (e adapters.Earlier, ok bool, err error) {
	part := strings.Split(strings.Trim(link.Path, "/"), "/")
	switch {
	case slices.Contains(hosts, strings.ToLower(link.Hostname())) && len(part) == 4 && part[0] == "channels":
		if !convert.IsID(part[2]) || !convert.IsID(part[3]) {
			return e, false, nil
		}
		e, err = ls.message(ctx, in, part[2], part[3])
		return e, true, err
	case len(part) == 4 && (part[0] == "attachments" || part[0] == "ephemeral-attachments") && ls.Files(link):
		a := convert.Attachment{ID: part[2], Filename: path.Base(link.Path), URL: link.String()}
		if !convert.IsID(a.ID) {
			return e, false, nil
		}
		e.Files = []adapters.File{a.File()}
		return e, true, nil
	}
	return e, false, nil
}

func (ls *Links) message(ctx context.Context, in adapters.Thread, channel, id string) (e adapters.Earlier, err error) {
	shared := channel == in.Channel || channel == in.ID
	if !shared && in.Workspace != "" {
		c, err := ls.channel(ctx, channel)
		if err != nil {
			return e, err
		}
		shared = c.IsThread() && c.Type != discordgo.ChannelTypeGuildPrivateThread && c.Parent == in.Channel
	}
	if !shared {
		return e, &adapters.Fault{
			Sentence: "The linked message is in another channel, and I read only this one. Please forward it here, or attach its files.",
			Kind:     adapters.ErrForbidden,
		}
	}
	if _, err := ls.Messages.Identity.ID(ctx); err != nil {
		return e, err
	}
	var m convert.Message
	if err := ls.Messages.API.Get(ctx, "channels/"+channel+"/messages/"+id, &m); err != nil {
		return e, api.NamePermissions(err, "View Channel, Read Message History")
	}
	return ls.Messages.Earlier(&m, in.Workspace, channel), nil
}

// channel returns the channel that a link names, empty if Discord does not show it. It may be in any server, so it is not
// recorded.
func (ls *Links) channel(ctx context.Context, id string) (*convert.Channel, error) {
	if known := ls.Messages.Places.Known(id); known != nil {
		return known, nil
	}
	var c convert.Channel
	if err := ls.Messages.API.Await(ctx, "channels/"+id, &c); api.IsTransient(err) {
		return nil, err
	}
	return &c, nil
}
