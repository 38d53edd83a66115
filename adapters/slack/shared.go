package slack

import (
	"context"
	"net/url"

	"github.com/slack-go/slack"
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

// info asks what a file is.
func (s *Slack) info(ctx context.Context, id string) (attached, error) {
	var answer struct {
		slack.SlackResponse

		File attached `json:"file"`
	}
	err := s.call(ctx, "files.info", url.Values{"file": {id}}, &answer)
	return answer.File, err
}
