package slack

import (
	"context"
	"net/url"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// attached is a file of a message. The library leaves out what sort of a file it is.
type attached struct {
	slack.File

	Subtype string `json:"subtype"`
}

// audioClip is the subtype of an audio clip, which people record in Slack itself: the same sound
// shared as a file has none. Slack documents clips for people only
// (https://slack.com/help/articles/4406235165587), and the media type that it tells of them
// may be that of a video, or none.
const audioClip = "slack_audio"

// whole are the files as the library reads them.
func whole(files []slack.File) []attached {
	all := make([]attached, 0, len(files))
	for _, f := range files {
		all = append(all, attached{File: f})
	}
	return all
}

// info asks what a file is.
func (s *Slack) info(ctx context.Context, id string) (attached, error) {
	var answer struct {
		slack.SlackResponse

		File attached `json:"file"`
	}
	err := s.call(ctx, "files.info", url.Values{"file": {id}}, &answer)
	return answer.File, err
}

// filesOf asks for the files of one message of a thread, or of the one that it begins with.
func (s *Slack) filesOf(ctx context.Context, channel, root, ts string) ([]attached, error) {
	var answer struct {
		slack.SlackResponse

		Messages []struct {
			TS    string     `json:"ts"`
			Files []attached `json:"files"`
		} `json:"messages"`
	}
	err := s.call(ctx, "conversations.replies", url.Values{
		"channel": {channel}, "ts": {root}, "oldest": {ts}, "latest": {ts}, "inclusive": {"true"}, "limit": {"2"},
	}, &answer)
	if err != nil {
		return nil, fault(err)
	}
	for _, m := range answer.Messages {
		if m.TS == ts {
			return m.Files, nil
		}
	}
	return nil, &adapters.Fault{Sentence: "The message is not there any more.", Kind: adapters.ErrGone}
}
