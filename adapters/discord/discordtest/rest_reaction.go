package discordtest

import (
	"net/http"
	"slices"
)

// mostReactions is how many emoji may stand on a message.
const mostReactions = 20

// pictured tells whether a text can be an emoji in Unicode: Discord knows them by a list, of
// which this keeps that no letter is one, and a digit only on a key.
func pictured(emoji string) bool {
	const fromHere = 0x203C // of the first that is no letter or copyright sign
	return emoji == "©️" || emoji == "®️" || slices.ContainsFunc([]rune(emoji), func(r rune) bool {
		return r >= fromHere && r != '\uFE0F'
	})
}

func (s *Server) putReaction(r *request) (int, any, *refusal) {
	m, no := s.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	emoji := r.PathValue("emoji")
	there := m.reaction(emoji)
	switch {
	case !pictured(emoji):
		return 0, nil, unknownEmoji
	case there == nil && s.may(m.channel)&AddReactions == 0:
		return 0, nil, missingPermissions
	case m.channel.archived:
		return 0, nil, threadArchived
	case there == nil && len(m.reactions) >= mostReactions:
		return 0, nil, tooManyReactions
	}
	s.react(m, s.bot, emoji, true)
	return http.StatusNoContent, nil, nil
}

func (s *Server) deleteReaction(r *request) (int, any, *refusal) {
	m, no := s.messageFor(r, ReadHistory)
	if no != nil {
		return 0, nil, no
	}
	emoji := r.PathValue("emoji")
	switch {
	case !pictured(emoji):
		return 0, nil, unknownEmoji
	case m.channel.archived:
		return 0, nil, threadArchived
	}
	s.react(m, s.bot, emoji, false)
	return http.StatusNoContent, nil, nil
}
