package adapterstest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

// bot is an adapter of the chat, which has one fault or none.
type bot struct {
	chat   *chat
	open   adapters.Opener
	broken string

	mu     sync.Mutex
	posted map[string]string // ids by nonce, for a bot that knows only its own
	tries  int
}

func (b *bot) Name() string {
	if b.is("takes another name") {
		return fmt.Sprintf("chat-%p", b)
	}
	return "chat"
}

var largest = adapters.Limits{File: 1 << 20, Files: 4}

func (*bot) Limits(adapters.Thread) adapters.Limits { return largest }

func (b *bot) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if b.is("ignores contexts") {
		ctx = context.WithoutCancel(ctx)
	}
	if err := adapters.CheckKey(key); err != nil && !b.is("takes any key") {
		return none, err
	}
	if err := r.Validate(); err != nil && !b.is("sends what is not valid") {
		return none, err
	}
	if r.Thread.Adapter != b.Name() && !b.is("writes anywhere") {
		return none, adapters.ErrInvalid
	}
	parts := b.parts(r)
	files, links, err := b.files(ctx, r)
	if b.is("posts before it looks") && err != nil {
		if _, err := b.post(ctx, key+"/0", r.Thread, parts[0]); err != nil {
			return none, err
		}
	}
	if errors.Is(err, adapters.ErrTooLarge) || errors.Is(err, adapters.ErrTooMany) {
		return none, err
	}
	ref := adapters.MessageRef{Adapter: b.Name(), Channel: r.Thread.Channel}
	for i, p := range parts {
		if i == 0 && !b.is("answers nothing") {
			p.AnswerTo = r.AnswerTo.ID
		}
		if r.Mention != "" && (i == 0 || b.is("notifies with each part")) && !b.is("notifies nobody") {
			p.Notified = []string{r.Mention}
		}
		if i == len(parts)-1 {
			if err != nil {
				return none, err
			}
			b.below(&p, r, files, links)
		}
		id, err := b.post(ctx, b.nonce(key, i), r.Thread, p)
		if err != nil {
			return none, err
		}
		ref.Parts, ref.ID = append(ref.Parts, ref.ID), id
	}
	if ref.Parts = ref.Parts[1:]; b.is("forgets a part") && len(ref.Parts) > 0 {
		ref.Parts = ref.Parts[1:]
	}
	return ref, nil
}

func (b *bot) is(fault string) bool { return b.broken == fault }

// nonce distinguishes a message of a reply from all others.
func (b *bot) nonce(key string, part int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries++
	switch {
	case b.is("posts twice"), b.is("starts anew") && b.tries > 1:
		return fmt.Sprint(key, part, b.tries)
	case b.is("takes keys for alike"):
		return strings.ToLower(key) + strconv.Itoa(part)
	}
	return fmt.Sprint(key, "/", part)
}

// parts are the messages of a text.
func (b *bot) parts(r adapters.Reply) []adapterstest.Shown {
	texts := adapters.Split(r.Text, 2000, nil)
	switch {
	case b.is("cuts anywhere"):
		texts = nil
		for rest := []rune(r.Text); len(rest) > 0; rest = rest[min(len(rest), 2000):] {
			texts = append(texts, string(rest[:min(len(rest), 2000)]))
		}
	case b.is("cuts bytes"):
		texts = nil
		for rest := r.Text; rest != ""; rest = rest[min(len(rest), 2000):] {
			texts = append(texts, rest[:min(len(rest), 2000)])
		}
	case b.is("loses the end") && len(texts) > 1:
		texts = texts[:len(texts)-1]
	}
	if len(texts) == 0 {
		texts = []string{""}
	}
	var parts []adapterstest.Shown
	for _, text := range texts {
		blocks := adapters.Parse(text)
		switch {
		case b.is("knows no mark-up"):
			blocks = nil
			for l := range strings.SplitSeq(text, "\n") {
				blocks = append(blocks, adapters.Block{Spans: []adapters.Span{{Text: l}}})
			}
		case b.is("knows more mark-up"):
			blocks = adapters.Parse(strings.ReplaceAll(strings.ReplaceAll(text, "~~", ""), "&amp;", "&"))
		case b.is("knows no styles"):
			for _, block := range blocks {
				for i := range block.Spans {
					block.Spans[i] = adapters.Span{Text: block.Spans[i].Text}
				}
			}
		case b.chat.counts:
			blocks = spelled(blocks)
		}
		parts = append(parts, adapterstest.Shown{Blocks: blocks})
	}
	return parts
}

// spelled are blocks for a chat that would number lists itself, and end code too early.
func spelled(blocks []adapters.Block) (all []adapters.Block) {
	for _, block := range blocks {
		block.Code = strings.ReplaceAll(block.Code, "```", "`\u200b`\u200b`")
		if block.Kind == adapters.Item && block.Marker != "-" {
			block = adapters.Block{Spans: append([]adapters.Span{{Text: block.Marker + " "}}, block.Spans...)}
		}
		all = append(all, block)
	}
	return all
}

// files uploads the attachments.
func (b *bot) files(ctx context.Context, r adapters.Reply) (files []adapterstest.ShownFile, links []string, _ error) {
	if err := largest.Check(r); err != nil {
		return nil, nil, b.passing(err)
	}
	for _, a := range r.Files {
		if a.MarkLink != "" && !b.is("gives no links") {
			links = append(links, a.MarkLink)
		}
		if a.Link != "" {
			if !b.is("gives no links") {
				links = append(links, a.Link)
			}
			files = append(files, adapterstest.ShownFile{Note: a.Note})
			continue
		}
		content, err := b.content(ctx, a)
		if err != nil {
			return nil, nil, b.passing(err)
		}
		f := adapterstest.ShownFile{Name: a.Name, Alt: a.Alt, Note: a.Note, Content: content}
		if b.is("gives no alternative text") {
			f.Alt = ""
		}
		if b.is("calls all files alike") {
			f.Name = "file"
		}
		files = append(files, f)
	}
	return files, links, nil
}

func (b *bot) content(ctx context.Context, a adapters.Attachment) ([]byte, error) {
	r, err := b.open(ctx, a.Handle)
	if err != nil {
		return nil, err
	}
	if !b.is("leaves files open") {
		defer r.Close() //nolint:errcheck // it is read only
	}
	content, err := io.ReadAll(r)
	if b.is("sends half of a file") {
		err = nil
	}
	return content, err
}

// below adds the lines below the text to its last message.
func (b *bot) below(p *adapterstest.Shown, r adapters.Reply, files []adapterstest.ShownFile, links []string) {
	if b.is("drops a file") && len(files) > 0 || b.is("sends no file alone") && r.Text == "" {
		files = files[1:]
	}
	p.Links = links
	for _, f := range files {
		if f.Content != nil {
			p.Files = append(p.Files, f)
		} else if f.Note != "" {
			p.Blocks = append(p.Blocks, adapters.Block{Spans: []adapters.Span{{Text: f.Note}}})
		}
	}
	if b.is("turns files around") {
		slices.Reverse(p.Files)
	}
	for _, c := range r.Choices {
		if !b.is("offers nothing") {
			p.Choices = append(p.Choices, c.Text)
		}
	}
	ids := make([]string, 0, len(r.Choices))
	for _, c := range r.Choices {
		ids = append(ids, c.ID)
	}
	p.ID = strings.Join(ids, " ")
}
