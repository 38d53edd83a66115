package slacktest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var (
	mentionForm = regexp.MustCompile(`<@([UW][A-Z0-9]+)(?:\|[^>]*)?>`)
	toAllForm   = regexp.MustCompile(`<!(?:channel|here|everyone|group)(?:\|[^>]*)?>`)
	nameForm    = regexp.MustCompile(`(?:^|[\s(])@([a-z0-9._-]+)`)
)

// notified are the people whom a message mentions. Where it has blocks they count, and
// the text is only what a notification shows.
func (s *Server) notified(c *channelState, m *messageState, linkNames bool) []string {
	var ids []string
	if m.blocks == nil {
		ids = s.mentioned(c, m.text, linkNames)
	} else {
		var blocks any
		if json.Unmarshal(m.blocks, &blocks) == nil {
			eachObject(blocks, func(o object) { ids = append(ids, s.mentionedBy(c, o, linkNames)...) })
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return s.users[id] == nil || id == m.user || !c.members[id] })
}

// mentionedBy are those whom one object within blocks mentions.
func (s *Server) mentionedBy(c *channelState, o object, linkNames bool) []string {
	switch o["type"] {
	case "mrkdwn", "markdown":
		text, _ := o["text"].(string) //nolint:errcheck // another type is no text
		return s.mentioned(c, text, linkNames)
	case "user":
		if id, ok := o["user_id"].(string); ok {
			return []string{id}
		}
	case "broadcast":
		return s.people(c)
	}
	return nil
}

// mentioned are those whom a text mentions, by <@U…> and <!channel>, and where names are
// linked by @name and @channel.
func (s *Server) mentioned(c *channelState, text string, linkNames bool) []string {
	var ids []string
	for _, found := range mentionForm.FindAllStringSubmatch(text, -1) {
		ids = append(ids, found[1])
	}
	if toAllForm.MatchString(text) {
		ids = append(ids, s.people(c)...)
	}
	if !linkNames {
		return ids
	}
	for _, found := range nameForm.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(found[1], ".")
		if name == "channel" || name == "here" || name == "everyone" {
			ids = append(ids, s.people(c)...)
			continue
		}
		for _, u := range s.users {
			if u.name == name {
				ids = append(ids, u.id)
			}
		}
	}
	return ids
}

// eachObject calls f for each JSON object within v, outer ones first.
func eachObject(v any, f func(object)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachObject(e, f)
		}
	case object:
		f(v)
		for _, e := range v {
			eachObject(e, f)
		}
	}
}

var entityForm = regexp.MustCompile(`<([@!#]?)([^>|]*)(?:\|([^>]*))?>`)

// richText is the block that Slack makes of what a person typed.
func richText(text string) json.RawMessage {
	elements := []object{}
	plain := func(t string) {
		if t != "" {
			elements = append(elements, object{"type": "text", "text": unescape.Replace(t)})
		}
	}
	last := 0
	for _, at := range entityForm.FindAllStringSubmatchIndex(text, -1) {
		plain(text[last:at[0]])
		last = at[1]
		target := text[at[4]:at[5]]
		switch text[at[2]:at[3]] {
		case "@":
			elements = append(elements, object{"type": "user", "user_id": target})
		case "!":
			elements = append(elements, object{"type": "broadcast", "range": target})
		case "#":
			elements = append(elements, object{"type": "channel", "channel_id": target})
		default:
			elements = append(elements, object{"type": "link", "url": target})
		}
	}
	plain(text[last:])
	return encode([]object{{
		"type": "rich_text", "block_id": "rt", "elements": []object{{"type": "rich_text_section", "elements": elements}},
	}})
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// encode is v as JSON, as the server writes it.
func encode(v any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // only our own maps and raw JSON that was read before
		return json.RawMessage(`null`)
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
