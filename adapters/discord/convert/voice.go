package convert

import (
	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// voiceFlag marks a voice message, which has one sound and nothing else ("Message" in Discord's documentation).
const voiceFlag = discordgo.MessageFlags(1 << 13)

// spoken returns a reply as a voice message with what was read aloud, and a message with the rest.
func (c *Composer) spoken(r adapters.Reply, whole *Part) []Part {
	v, file := r.Files[0].Voice, adapters.Attachment{Name: "voice-message.ogg", Type: "audio/ogg"}
	file.Handle, file.Size = v.Handle, v.Size
	voice := Part{AnswerTo: whole.AnswerTo, Files: []adapters.Attachment{file}, Numbers: []int{0}, Whole: whole, language: whole.language}
	voice.Content = NewContent("")
	voice.Content.Flags = voiceFlag
	voice.Content.Attachments = []Uploaded{{Name: file.Name, Seconds: v.Duration.Seconds(), Waveform: v.Waveform}}
	r.Files, r.AnswerTo = nil, adapters.MessageRef{}
	return append([]Part{voice}, c.compose(r, 0)...)
}
