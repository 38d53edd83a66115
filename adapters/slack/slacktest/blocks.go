package slacktest

import (
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of blocks. https://docs.slack.dev/reference/block-kit/blocks; the whole of a
// message is not documented, it was found to be about 13,200 characters.
const (
	maxBlocks      = 50
	maxSection     = 3000
	maxField       = 2000
	maxFields      = 10
	maxHeader      = 150
	maxMarkdown    = 12_000
	maxButton      = 75
	maxValue       = 2000
	maxID          = 255
	maxAlt         = 2000
	maxURL         = 3000
	maxActions     = 25
	maxContext     = 10
	maxOptions     = 100
	maxOption      = 75
	maxOptionValue = 150
	maxMessage     = 13_200
)

// blockCheck collects what is wrong with blocks.
type blockCheck struct {
	faults []string
	ids    map[string]bool
	total  int
}

// checkBlocks checks blocks, at most that many, and gives those that lack one an id.
func checkBlocks(text string, most int) (json.RawMessage, error) {
	var blocks []object
	if err := json.Unmarshal([]byte(text), &blocks); err != nil {
		return nil, refuse("invalid_blocks_format")
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	if len(blocks) > most {
		return nil, refuse("invalid_blocks", fmt.Sprintf("[ERROR] no more than %d items allowed [json-pointer:/blocks]", most))
	}
	c := &blockCheck{ids: map[string]bool{}}
	for i, b := range blocks {
		at := fmt.Sprintf("/blocks/%d", i)
		c.id(at+"/block_id", b["block_id"])
		if b["block_id"] == nil {
			b["block_id"] = fmt.Sprintf("b%d", i)
		}
		c.block(at, b)
	}
	if len(c.faults) > 0 {
		return nil, refuse("invalid_blocks", c.faults...)
	}
	if c.total > maxMessage {
		return nil, refuse("msg_blocks_too_long")
	}
	return encode(blocks), nil
}

func (c *blockCheck) wrongf(at, format string, args ...any) {
	c.faults = append(c.faults, "[ERROR] "+fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// id checks a block_id or action_id, which is unique.
func (c *blockCheck) id(at string, v any) {
	if v == nil {
		return
	}
	id, ok := v.(string)
	switch {
	case !ok:
		c.wrongf(at, "must be a string")
	case units(id) > maxID:
		c.wrongf(at, "must be less than %d characters", maxID+1)
	case c.ids[at[len(at)-8:]+id]:
		c.wrongf(at, "%q already exists", id)
	}
	c.ids[at[len(at)-8:]+id] = true
}

// text checks a text object; kind is plain_text, or "" for mrkdwn too.
func (c *blockCheck) text(at string, v any, kind string, most int) {
	o, ok := v.(object)
	text, isText := o["text"].(string)
	switch {
	case !ok || !isText:
		c.wrongf(at, "missing required field: text")
	case kind == "plain_text" && o["type"] != "plain_text", o["type"] != "plain_text" && o["type"] != "mrkdwn":
		c.wrongf(at, "unsupported type of text")
	case text == "":
		c.wrongf(at, "must be more than 0 characters")
	case units(text) > most:
		c.wrongf(at, "must be less than %d characters", most+1)
	}
	c.total += units(text)
}

// word checks a string that may be missing unless it is required.
func (c *blockCheck) word(at string, v any, most int, required bool) {
	text, ok := v.(string)
	switch {
	case v == nil && !required:
	case !ok || (required && text == ""):
		c.wrongf(at, "missing required field")
	case units(text) > most:
		c.wrongf(at, "must be less than %d characters", most+1)
	}
}

func (c *blockCheck) block(at string, b object) {
	switch b["type"] {
	case "section":
		c.section(at, b)
	case "header":
		c.text(at+"/text", b["text"], "plain_text", maxHeader)
	case "divider", "rich_text", "file", "video", "table", "call":
		eachObject(b, func(o object) {
			if text, ok := o["text"].(string); ok {
				c.total += units(text)
			}
		})
	case "markdown":
		text, ok := b["text"].(string)
		if !ok || text == "" || units(text) > maxMarkdown {
			c.wrongf(at+"/text", "must be 1 to %d characters", maxMarkdown)
		}
		c.total += units(text)
	case "image":
		c.image(at, b)
	case "context":
		for i, e := range c.elements(at, b, maxContext) {
			if in := fmt.Sprintf("%s/elements/%d", at, i); e["type"] == "image" {
				c.image(in, e)
			} else {
				c.text(in, e, "", maxSection)
			}
		}
	case "actions":
		for i, e := range c.elements(at, b, maxActions) {
			c.element(fmt.Sprintf("%s/elements/%d", at, i), e)
		}
	case "input":
		c.text(at+"/label", b["label"], "plain_text", maxField)
		element, ok := b["element"].(object)
		if !ok {
			c.wrongf(at+"/element", "missing required field: element")
			return
		}
		if element["action_id"] == nil {
			element["action_id"] = "input"
		}
		c.element(at+"/element", element)
	default:
		c.wrongf(at+"/type", "unsupported type: %v", b["type"])
	}
}

func (c *blockCheck) section(at string, b object) {
	fields, _ := b["fields"].([]any) //nolint:errcheck // none are fine beside a text
	if b["text"] != nil || len(fields) == 0 {
		c.text(at+"/text", b["text"], "", maxSection)
	}
	if len(fields) > maxFields {
		c.wrongf(at+"/fields", "no more than %d items allowed", maxFields)
	}
	for i, f := range fields {
		c.text(fmt.Sprintf("%s/fields/%d", at, i), f, "", maxField)
	}
	if accessory, ok := b["accessory"].(object); ok {
		c.element(at+"/accessory", accessory)
	}
}

func (c *blockCheck) image(at string, b object) {
	c.word(at+"/alt_text", b["alt_text"], maxAlt, true)
	c.word(at+"/image_url", b["image_url"], maxURL, b["slack_file"] == nil)
}

// elements are those of a block, at least one and at most that many.
func (c *blockCheck) elements(at string, b object, most int) []object {
	all, _ := b["elements"].([]any) //nolint:errcheck // none is wrong too
	if len(all) == 0 || len(all) > most {
		c.wrongf(at+"/elements", "1 to %d items allowed", most)
		return nil
	}
	var of []object
	for i, e := range all {
		o, ok := e.(object)
		if !ok {
			c.wrongf(fmt.Sprintf("%s/elements/%d", at, i), "must be an object")
			return nil
		}
		of = append(of, o)
	}
	return of
}

// element checks what people press, pick or fill in.
func (c *blockCheck) element(at string, e object) {
	c.id(at+"/action_id", e["action_id"])
	if e["placeholder"] != nil {
		c.text(at+"/placeholder", e["placeholder"], "plain_text", maxOptionValue)
	}
	switch e["type"] {
	case "button":
		c.text(at+"/text", e["text"], "plain_text", maxButton)
		c.word(at+"/value", e["value"], maxValue, false)
		c.word(at+"/url", e["url"], maxURL, false)
		if style := e["style"]; style != nil && style != "primary" && style != "danger" {
			c.wrongf(at+"/style", "must be primary or danger")
		}
	case "static_select", "multi_static_select", "radio_buttons", "checkboxes", "overflow":
		c.options(at, e)
	case "image":
		c.image(at, e)
	case "plain_text_input", "users_select", "channels_select", "conversations_select", "datepicker", "timepicker",
		"file_input", "number_input", "url_text_input", "email_text_input", "rich_text_input", "workflow_button":
	default:
		c.wrongf(at+"/type", "unsupported type: %v", e["type"])
	}
}

func (c *blockCheck) options(at string, e object) {
	options, _ := e["options"].([]any) //nolint:errcheck // none is wrong too
	if len(options) == 0 || len(options) > maxOptions {
		c.wrongf(at+"/options", "1 to %d items allowed", maxOptions)
	}
	for i, o := range options {
		in := fmt.Sprintf("%s/options/%d", at, i)
		option, ok := o.(object)
		if !ok {
			c.wrongf(in, "must be an object")
			continue
		}
		c.text(in+"/text", option["text"], "", maxOption)
		c.word(in+"/value", option["value"], maxOptionValue, true)
	}
}

// units counts as Slack does, in the units of UTF-16.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

func runes(text string) int { return utf8.RuneCountInString(text) }

// plainText is the text of a text object; "" where it is none.
func plainText(v any) string {
	o, _ := v.(object)            //nolint:errcheck // nothing is no text
	text, _ := o["text"].(string) //nolint:errcheck // nothing is no text
	return text
}
