// Package blocks validates Block Kit messages and modals as Slack does. It knows the kinds of
// blocks that the bot sends; any other kind is rejected, so that a test fails until its limits
// are checked here too.
package blocks

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of blocks. https://docs.slack.dev/reference/block-kit/blocks; the limit of a whole
// message is not documented, it was found to be about 13,200 characters.
const (
	maxBlocks  = 50
	maxLabel   = 2000
	maxButton  = 75
	maxValue   = 2000
	maxID      = 255
	maxActions = 25
	maxContext = 10
	maxText    = 3000
	// maxContextActions is the most elements of a context_actions block.
	maxContextActions = 5
	maxPlaceholder    = 150
	maxMessage        = 13_200
	maxTasks          = 50 // of a plan
)

// Limits of modals. https://docs.slack.dev/reference/views
const (
	maxViewBlocks  = 100
	maxViewTitle   = 24
	maxPrivateData = 3000
)

// InvalidError is the error of a message or modal that Slack would reject.
type InvalidError struct {
	Code     string // of Slack's answer
	Messages []string
}

func (i *InvalidError) Error() string { return i.Code }

type object = map[string]any

// Message checks the blocks of a message and returns them, each with a block_id.
func Message(text string) (json.RawMessage, error) {
	var all []object
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil, &InvalidError{Code: "invalid_blocks_format"}
	}
	return check(all, maxBlocks)
}

// View checks a modal and returns it, its blocks as []map[string]any, each with a block_id.
func View(text string) (map[string]any, error) {
	var view object
	var inner struct {
		Blocks []object `json:"blocks"`
	}
	if json.Unmarshal([]byte(text), &view) != nil || json.Unmarshal([]byte(text), &inner) != nil {
		return nil, &InvalidError{"invalid_arguments", []string{"[ERROR] failed to parse the view"}}
	}
	if fault := viewFault(view, inner.Blocks); fault != "" {
		return nil, &InvalidError{"invalid_arguments", []string{"[ERROR] " + fault}}
	}
	_, err := check(inner.Blocks, maxViewBlocks)
	view["blocks"] = inner.Blocks
	return view, err
}

// Home checks a home tab and returns its blocks, each with a block_id.
func Home(text string) (json.RawMessage, error) {
	var view struct {
		Type   string   `json:"type"`
		Blocks []object `json:"blocks"`
	}
	if json.Unmarshal([]byte(text), &view) != nil || view.Type != "home" {
		return nil, &InvalidError{"invalid_arguments", []string{"[ERROR] unsupported type of view [json-pointer:/view/type]"}}
	}
	return check(view.Blocks, maxViewBlocks)
}

// viewFault says what is wrong with a modal apart from its blocks; "" for nothing.
func viewFault(view object, all []object) string {
	title := plainText(view["title"])
	data, _ := view["private_metadata"].(string) //nolint:errcheck // another type is no text
	id, _ := view["callback_id"].(string)        //nolint:errcheck // another type is no text
	switch {
	case view["type"] != "modal":
		return "unsupported type of view [json-pointer:/view/type]"
	case title == "" || utf8.RuneCountInString(title) > maxViewTitle:
		return "must be 1 to 24 characters [json-pointer:/view/title]"
	case utf8.RuneCountInString(plainText(view["submit"])) > maxViewTitle || utf8.RuneCountInString(plainText(view["close"])) > maxViewTitle:
		return "must be less than 25 characters [json-pointer:/view/submit]"
	case utf8.RuneCountInString(data) > maxPrivateData:
		return "must be less than 3001 characters [json-pointer:/view/private_metadata]"
	case utf8.RuneCountInString(id) > maxID:
		return "must be less than 256 characters [json-pointer:/view/callback_id]"
	case view["submit"] == nil && slices.ContainsFunc(all, func(b object) bool { return b["type"] == "input" }):
		return "a view with input blocks needs submit [json-pointer:/view/submit]"
	}
	return ""
}

// plainText returns the text of a text object; "" for anything else.
func plainText(v any) string {
	o, _ := v.(object)            //nolint:errcheck // nothing is no text
	text, _ := o["text"].(string) //nolint:errcheck // nothing is no text
	return text
}

// checker collects what is wrong with blocks.
type checker struct {
	faults []string
	ids    map[string]bool
	total  int
}

func check(all []object, most int) (json.RawMessage, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if len(all) > most {
		return nil, &InvalidError{"invalid_blocks", []string{fmt.Sprintf("[ERROR] no more than %d items allowed [json-pointer:/blocks]", most)}}
	}
	c := &checker{ids: map[string]bool{}}
	for i, b := range all {
		at := fmt.Sprintf("/blocks/%d", i)
		c.id(at+"/block_id", b["block_id"])
		if b["block_id"] == nil {
			b["block_id"] = fmt.Sprintf("b%d", i)
		}
		c.block(at, b)
	}
	switch {
	case len(c.faults) > 0:
		return nil, &InvalidError{"invalid_blocks", c.faults}
	case c.total > maxMessage:
		return nil, &InvalidError{Code: "msg_blocks_too_long"}
	}
	return json.Marshal(all) //nolint:wrapcheck // it was JSON before
}

func (c *checker) wrongf(at, format string, args ...any) {
	c.faults = append(c.faults, "[ERROR] "+fmt.Sprintf(format, args...)+" [json-pointer:"+at+"]")
}

// id checks a block_id or action_id, which must be unique.
func (c *checker) id(at string, v any) {
	if v == nil {
		return
	}
	id, ok := v.(string)
	key := at[len(at)-len("block_id"):] + id
	switch {
	case !ok:
		c.wrongf(at, "must be a string")
	case units(id) > maxID:
		c.wrongf(at, "must be less than %d characters", maxID+1)
	case c.ids[key]:
		c.wrongf(at, "%q already exists", id)
	}
	c.ids[key] = true
}

// text checks a plain_text object.
func (c *checker) text(at string, v any, most int) {
	o, ok := v.(object)
	text, isText := o["text"].(string)
	switch {
	case !ok || !isText:
		c.wrongf(at, "missing required field: text")
	case o["type"] != "plain_text":
		c.wrongf(at, "unsupported type of text")
	case text == "":
		c.wrongf(at, "must be more than 0 characters")
	case units(text) > most:
		c.wrongf(at, "must be less than %d characters", most+1)
	}
	c.total += units(text)
}

// optional checks a string that may be missing.
func (c *checker) optional(at string, v any, most int) {
	text, ok := v.(string)
	switch {
	case v == nil:
	case !ok:
		c.wrongf(at, "must be a string")
	case units(text) > most:
		c.wrongf(at, "must be less than %d characters", most+1)
	}
}

func (c *checker) block(at string, b object) {
	switch b["type"] {
	case "rich_text":
		c.total += textLength(b)
	case "actions":
		elements, _ := b["elements"].([]any) //nolint:errcheck // none is wrong too
		if len(elements) == 0 || len(elements) > maxActions {
			c.wrongf(at+"/elements", "1 to %d items allowed", maxActions)
		}
		for i, e := range elements {
			c.element(fmt.Sprintf("%s/elements/%d", at, i), e)
		}
	case "context":
		elements, _ := b["elements"].([]any) //nolint:errcheck // none is wrong too
		if len(elements) == 0 || len(elements) > maxContext {
			c.wrongf(at+"/elements", "1 to %d items allowed", maxContext)
		}
		for i, e := range elements {
			c.text(fmt.Sprintf("%s/elements/%d", at, i), e, maxText)
		}
	case "context_actions":
		elements, _ := b["elements"].([]any) //nolint:errcheck // none is wrong too
		if len(elements) == 0 || len(elements) > maxContextActions {
			c.wrongf(at+"/elements", "1 to %d items allowed", maxContextActions)
		}
		for i, e := range elements {
			c.feedback(fmt.Sprintf("%s/elements/%d", at, i), e)
		}
	case "plan":
		title, _ := b["title"].(string) //nolint:errcheck // none is wrong too
		tasks, _ := b["tasks"].([]any)  //nolint:errcheck // none are no fault
		if title == "" || len(tasks) > maxTasks {
			c.wrongf(at, "needs a title, and at most %d tasks", maxTasks)
		}
		c.total += units(title)
		for i, task := range tasks {
			c.task(fmt.Sprintf("%s/tasks/%d", at, i), task)
		}
	case "input":
		c.text(at+"/label", b["label"], maxLabel)
		c.element(at+"/element", b["element"])
	default:
		c.wrongf(at+"/type", "unsupported type: %v", b["type"])
	}
}

// task checks a task card of a plan.
func (c *checker) task(at string, v any) {
	card, _ := v.(object)                //nolint:errcheck // nothing is of no type
	id, _ := card["task_id"].(string)    //nolint:errcheck // none is wrong too
	title, _ := card["title"].(string)   //nolint:errcheck // none is wrong too
	status, _ := card["status"].(string) //nolint:errcheck // none is wrong too
	switch {
	case card["type"] != "task_card":
		c.wrongf(at+"/type", "unsupported type: %v", card["type"])
	case id == "" || title == "":
		c.wrongf(at, "missing required field: task_id or title")
	case !slices.Contains([]string{"pending", "in_progress", "complete", "error"}, status):
		c.wrongf(at+"/status", "unknown status")
	}
	c.total += units(title)
}

// feedback checks feedback buttons.
func (c *checker) feedback(at string, v any) {
	e, _ := v.(object) //nolint:errcheck // nothing is of no type
	if e["type"] != "feedback_buttons" {
		c.wrongf(at+"/type", "unsupported type: %v", e["type"])
		return
	}
	c.id(at+"/action_id", e["action_id"])
	for _, name := range []string{"positive_button", "negative_button"} {
		b, _ := e[name].(object) //nolint:errcheck // nothing has no text
		c.text(at+"/"+name+"/text", b["text"], maxButton)
		c.optional(at+"/"+name+"/accessibility_label", b["accessibility_label"], maxButton)
		if value, ok := b["value"].(string); !ok || value == "" || units(value) > maxValue {
			c.wrongf(at+"/"+name+"/value", "must be 1 to %d characters", maxValue)
		}
	}
}

// element checks a button or an input.
func (c *checker) element(at string, v any) {
	e, ok := v.(object)
	if !ok {
		c.wrongf(at, "missing required field: element")
		return
	}
	c.id(at+"/action_id", e["action_id"])
	switch e["type"] {
	case "button":
		c.text(at+"/text", e["text"], maxButton)
		c.optional(at+"/value", e["value"], maxValue)
	case "plain_text_input":
		if e["placeholder"] != nil {
			c.text(at+"/placeholder", e["placeholder"], maxPlaceholder)
		}
	default:
		c.wrongf(at+"/type", "unsupported type: %v", e["type"])
	}
}

// textLength returns the length of all texts within v.
func textLength(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += textLength(e)
		}
	case object:
		if text, ok := v["text"].(string); ok {
			n = units(text)
		}
		for _, e := range v {
			n += textLength(e)
		}
	}
	return n
}

// units returns the length of a text in UTF-16 code units, as Slack counts.
func units(text string) int { return len(utf16.Encode([]rune(text))) }
