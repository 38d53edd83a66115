package slacktest

import (
	"cmp"
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

// mentions finds the members of a channel whom a message mentions.
type mentions struct {
	*channelState
	users map[string]*userState
}

// notified returns the people whom a message mentions. If it has blocks, only they count: the
// text is only what a notification shows.
func (in mentions) notified(m *messageState, linkNames bool) []string {
	var ids []string
	var all any
	if m.blocks == nil || json.Unmarshal(m.blocks, &all) != nil {
		ids = in.byText(m.text, linkNames)
	}
	eachObject(all, func(o object) {
		if id, ok := o["user_id"].(string); ok && o["type"] == "user" {
			ids = append(ids, id)
		} else if o["type"] == "broadcast" {
			ids = append(ids, in.all()...)
		}
	})
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return in.users[id] == nil || id == m.user || !in.members[id] })
}

// byText returns the people whom a text mentions, by <@U…> and <!channel>, and if names are
// linked by @name and @channel.
func (in mentions) byText(text string, linkNames bool) []string {
	var ids []string
	for _, found := range mentionForm.FindAllStringSubmatch(text, -1) {
		ids = append(ids, found[1])
	}
	if toAllForm.MatchString(text) {
		ids = append(ids, in.all()...)
	}
	if !linkNames {
		return ids
	}
	for _, found := range nameForm.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(found[1], ".")
		if name == "channel" || name == "here" || name == "everyone" {
			ids = append(ids, in.all()...)
			continue
		}
		for _, u := range in.users {
			if u.name == name {
				ids = append(ids, u.id)
			}
		}
	}
	return ids
}

// all returns the members who are not bots.
func (in mentions) all() []string {
	var ids []string
	for id := range in.members {
		if u := in.users[id]; u != nil && u.botID == "" {
			ids = append(ids, id)
		}
	}
	return ids
}

var (
	entityForm = regexp.MustCompile(`<(@?)([^>|]*)(?:\|([^>]*))?>`)
	unescape   = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// richText returns the block into which Slack turns the text of a person.
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
		if target := text[at[4]:at[5]]; at[2] < at[3] {
			elements = append(elements, object{"type": "user", "user_id": target})
		} else {
			elements = append(elements, object{"type": "link", "url": target})
		}
	}
	plain(text[last:])
	return encode([]object{{
		"type": "rich_text", "block_id": "rt", "elements": []object{{"type": "rich_text_section", "elements": elements}},
	}})
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// textOf returns the text that Slack makes of rich text if a message comes without one.
func textOf(blocks json.RawMessage) string {
	var all []object
	if json.Unmarshal(blocks, &all) != nil {
		return ""
	}
	var lines []string
	for _, b := range all {
		if b["type"] == "rich_text" {
			lines = append(lines, wordsOf(b))
		}
	}
	return strings.Join(lines, "\n")
}

// wordsOf returns the words of an element of rich text.
func wordsOf(e object) string {
	word := func(key string) string {
		text, _ := e[key].(string) //nolint:errcheck // another type is no text
		return text
	}
	switch e["type"] {
	case "user":
		return "<@" + word("user_id") + ">"
	case "text", "link":
		return escape.Replace(cmp.Or(word("text"), word("url")))
	}
	var all strings.Builder
	inner, _ := e["elements"].([]any) //nolint:errcheck // it has none
	for n, i := range inner {
		if i, ok := i.(object); ok {
			if n > 0 && e["type"] == "rich_text_list" {
				all.WriteByte('\n')
			}
			all.WriteString(wordsOf(i))
		}
	}
	return all.String()
}
