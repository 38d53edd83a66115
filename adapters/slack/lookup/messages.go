package lookup

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Messages reads messages and threads.
type Messages struct {
	API      *api.Client
	Identity *Identity
	People   *People
}

// Text returns a text as people see it, without the mention of the bot.
func (ms *Messages) Text(ctx context.Context, self Self, text string) string {
	return convert.ReadText(text, self.User, convert.Names{
		User: func(id string) string { return ms.People.Who(ctx, id).Name },
	})
}

// Files converts the files of a message. Those of other workspaces are looked up.
func (ms *Messages) Files(ctx context.Context, files []convert.File) []adapters.File {
	for i, f := range files {
		if f.FileAccess != convert.Stub || !convert.IsID(f.ID) {
			continue
		}
		if known, err := ms.fileInfo(ctx, f.ID); err == nil {
			files[i] = known
		}
	}
	return convert.Files(files)
}

// Earlier converts an earlier message.
func (ms *Messages) Earlier(ctx context.Context, self Self, m convert.Event) adapters.Earlier {
	at, _ := convert.ParseTime(m.TS)
	e := adapters.Earlier{Own: m.User == self.User || m.BotID != "" && m.BotID == self.bot, At: at}
	by := ms.People.Who(ctx, cmp.Or(m.User, m.BotID, "unknown"))
	e.By, e.Text, e.Files = by.Person, ms.Text(ctx, self, m.Text), ms.Files(ctx, m.Files)
	for _, a := range m.Attachments {
		if !a.IsShare {
			continue
		}
		e.Text = adapters.Cut(strings.TrimSpace(e.Text+"\n"+ms.Text(ctx, self, a.Text)), adapters.MaxText)
		files := append(e.Files, ms.Files(ctx, a.Files)...) //nolint:gocritic // both are ours
		e.Files = files[:min(len(files), adapters.MaxFiles)]
	}
	return e
}

// Find looks up one message of a thread, which may be its first one.
func (ms *Messages) Find(ctx context.Context, channel, root, ts string) (*convert.Event, error) {
	p, err := ms.page(ctx, "conversations.replies", url.Values{
		"channel": {channel}, "ts": {root}, "oldest": {ts}, "latest": {ts}, "inclusive": {"true"}, "limit": {"2"},
	})
	if err != nil {
		return nil, api.Fault(err)
	}
	for _, m := range p.Messages {
		if m.TS == ts {
			return &m, nil
		}
	}
	return nil, &adapters.Fault{Sentence: "The message no longer exists.", Kind: adapters.ErrGone}
}

// fileInfo looks a file up.
func (ms *Messages) fileInfo(ctx context.Context, id string) (convert.File, error) {
	var answer struct {
		slack.SlackResponse

		File convert.File `json:"file"`
	}
	err := ms.API.Call(ctx, "files.info", url.Values{"file": {id}}, &answer)
	return answer.File, err
}
