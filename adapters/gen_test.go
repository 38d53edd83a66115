package adapters_test

import (
	"time"

	"pgregory.net/rapid"

	"atelier/adapters"
)

// ids draws possible ids of platforms.
func ids() *rapid.Generator[string] {
	return rapid.StringMatching(`[A-Za-z0-9./~=_:é-]{1,12}`)
}

func names() *rapid.Generator[string] { return rapid.StringMatching(`[a-z][a-z0-9-]{0,5}`) }

func threads() *rapid.Generator[adapters.Thread] {
	return rapid.Custom(func(t *rapid.T) adapters.Thread {
		return adapters.Thread{
			Adapter: names().Draw(t, "adapter"), Workspace: rapid.OneOf(rapid.Just(""), ids()).Draw(t, "workspace"),
			Channel: ids().Draw(t, "channel"), ID: rapid.OneOf(rapid.Just(""), ids()).Draw(t, "thread"), Direct: rapid.Bool().Draw(t, "direct"),
		}
	})
}

func refs() *rapid.Generator[adapters.MessageRef] {
	return rapid.Custom(func(t *rapid.T) adapters.MessageRef {
		m := adapters.MessageRef{Adapter: names().Draw(t, "adapter"), Channel: ids().Draw(t, "channel"), ID: ids().Draw(t, "message")}
		if rapid.Bool().Draw(t, "long") {
			m.Parts = rapid.SliceOfN(ids(), 1, 3).Draw(t, "parts")
		}
		return m
	})
}

func files() *rapid.Generator[adapters.File] {
	return rapid.Custom(func(t *rapid.T) adapters.File {
		return adapters.File{
			ID: ids().Draw(t, "file"), Name: rapid.StringMatching(`[^\pC]{0,20}`).Draw(t, "name"), Size: rapid.Int64Min(0).Draw(t, "size"),
			Type: "image/png", Alt: rapid.String().Draw(t, "alt"), Handle: "https://cdn.example.com/" + ids().Draw(t, "handle"),
		}
	})
}

// events draws valid events of every kind.
func events() *rapid.Generator[adapters.Event] {
	return rapid.Custom(func(t *rapid.T) adapters.Event {
		e := adapters.Event{
			ID: ids().Draw(t, "id"), Adapter: names().Draw(t, "hears"), Thread: threads().Draw(t, "in"),
			By: adapters.Person{ID: ids().Draw(t, "by"), Name: "Ana", Admin: rapid.Bool().Draw(t, "admin")},
			At: time.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "at"), 0).UTC(),
		}
		e.Kind = rapid.SampledFrom([]adapters.Kind{
			adapters.MessageSent, adapters.MessageEdited, adapters.ReactionAdded, adapters.ReactionRemoved, adapters.CancelAsked, adapters.CommandGiven, adapters.PictureMarked,
		}).Draw(t, "kind")
		switch e.Kind {
		case adapters.MessageSent:
			e.Message = drawMessage(t)
		case adapters.MessageEdited:
			e.Message = drawMessage(t)
			e.Message.Edited = &adapters.Edited{Event: ids().Draw(t, "sent as"), At: e.At}
		case adapters.ReactionAdded, adapters.ReactionRemoved:
			e.Reaction = &adapters.Reaction{On: refs().Draw(t, "on"), Sign: adapters.Choose, Number: rapid.IntRange(1, adapters.MaxChoices).Draw(t, "number")}
		case adapters.CancelAsked:
			e.Cancel = &adapters.Cancel{}
			if rapid.Bool().Draw(t, "of a message") {
				e.Cancel = &adapters.Cancel{On: refs().Draw(t, "on"), Deleted: rapid.Bool().Draw(t, "deleted")}
			}
		case adapters.CommandGiven:
			e.Command = &adapters.Command{Name: "tools", Text: rapid.String().Draw(t, "text")}
		case adapters.PictureMarked:
			mask := files().Draw(t, "mask")
			e.Mark = &adapters.Mark{
				Picture: "photo-3f2a.png", Width: 40, Height: 30, Mask: &mask,
				Points: []adapters.Point{{X: 39, Y: 29, Exclude: true}}, Boxes: []adapters.Box{{XMax: 40, YMax: 30}},
			}
		}
		return e
	})
}

func drawMessage(t *rapid.T) *adapters.Message {
	m := &adapters.Message{
		Ref: refs().Draw(t, "ref"), Order: rapid.Int64().Draw(t, "order"), Text: rapid.String().Draw(t, "text"),
		For: rapid.SampledFrom([]adapters.Address{adapters.Mentioned, adapters.Replied, adapters.Direct, adapters.Overheard}).Draw(t, "for"),
	}
	if rapid.Bool().Draw(t, "with files") {
		m.Files = rapid.SliceOfN(files(), 1, 3).Draw(t, "files")
	}
	if len(m.Files) > 0 && rapid.Bool().Draw(t, "points") {
		m.Marks = []adapters.Mark{
			{File: m.Files[0].ID, Width: 40, Height: 30, Points: []adapters.Point{{X: 1, Y: 2}}},
			{Picture: "photo-3f2a.png", Width: 4, Height: 3, Boxes: []adapters.Box{{XMax: 4, YMax: 3}}},
		}
	}
	if rapid.Bool().Draw(t, "replies") {
		m.ReplyTo = &adapters.Earlier{Ref: refs().Draw(t, "earlier"), By: adapters.Person{ID: "u2"}, Own: true, At: time.Unix(5, 0).UTC(), Text: "before"}
	}
	return m
}
