package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/discord/receive"
)

type fields = map[string]any

// others are values of every JSON type, for a field that expects another.
var others = []any{nil, true, 7, 1.5, "x", []any{}, []any{"x", 7, fields{}}, fields{}, fields{"a": 1}}

// atGateway is a bot that receives raw gateway events until stop is called.
func atGateway(s *scene) (take func(convert.Dispatch), stop func()) {
	s.Helper()
	ctx, end := context.WithCancel(context.WithoutCancel(s.Context()))
	begun, over := make(chan *receive.Events), make(chan error, 1)
	go func() {
		over <- receive.Run(ctx, s.d.receiving, func(_ context.Context, e adapters.Event) error {
			s.events <- e
			return nil
		}, func(ctx context.Context, events *receive.Events) error {
			begun <- events
			<-ctx.Done()
			return nil
		})
	}()
	events := <-begun
	stop = sync.OnceFunc(func() {
		end()
		if err := <-over; err != nil {
			s.Error(err)
		}
	})
	s.Cleanup(stop)
	s.d.identity.Learn(s.s.BotID())
	events.Take(convert.Dispatch{Name: "GUILD_CREATE", Data: encode(s, fields{
		"id": s.guild, "owner_id": "1", "roles": []any{fields{"id": s.guild, "name": "@everyone", "permissions": 8, "tags": "none"}}, "large": "no",
		"channels": []any{fields{"id": s.channel, "type": "0", "name": 5, "permission_overwrites": fields{}, "nsfw": 1}, "x"}, "threads": "none",
	})})
	return events.Take, stop
}

func encode(s *scene, v any) []byte {
	s.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		s.Fatal(err)
	}
	return b
}

// wholeMessage is a mention with everything that Discord sends of such a message:
// https://discord.com/developers/docs/resources/message#message-object.
func wholeMessage(s *scene, n int) fields {
	id := strconv.Itoa(1_300_000_000_000_000_000 + n)
	author := fields{"id": s.ana.ID, "username": "ana", "global_name": "Ana", "avatar": nil, "discriminator": "0", "bot": false, "public_flags": 0}
	return fields{
		"id": id, "channel_id": s.channel, "guild_id": s.guild, "type": 0, "flags": 0, "content": "<@" + s.s.BotID() + "> make it grey",
		"timestamp": "2026-11-22T10:00:00.000000+00:00", "edited_timestamp": nil, "tts": false, "mention_everyone": false, "pinned": false, "nonce": "1",
		"author": author, "member": fields{"nick": "Ana", "roles": []any{}, "joined_at": "2026-01-01T00:00:00Z", "deaf": false, "flags": 0},
		"mentions": []any{fields{"id": s.s.BotID(), "username": "atelier", "bot": true, "member": fields{"nick": "At", "roles": []any{"1"}}}},
		"attachments": []any{fields{
			"id": "5", "filename": "a.png", "title": "a", "description": "a cat", "content_type": "image/png", "size": 640, "url": "https://cdn.discordapp.com/a.png",
			"width": 640, "height": 480, "ephemeral": false,
		}},
		"mention_roles": []any{"9"}, "embeds": []any{}, "reactions": []any{fields{"me": false, "count": 1, "emoji": fields{"name": "x", "id": nil}}},
		"message_reference":  fields{"type": 0, "message_id": "6", "channel_id": s.channel, "guild_id": s.guild},
		"referenced_message": nil, "message_snapshots": []any{fields{"message": fields{"content": "before", "timestamp": "2026-11-22T10:00:00Z"}}},
		"components": []any{}, "sticker_items": []any{}, "channel_type": 0,
	}
}

// needed are the required fields: who wrote what, and where.
var needed = []string{"id", "channel_id", "content", "author", "author.id", "author.bot"}

// TestOddFields changes the type of each field of a message in turn: it is received all the same.
func TestOddFields(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	take, _ := atGateway(s)
	n := 0
	for _, path := range pathsOf(wholeMessage(s, 0), "") {
		if slices.Contains(needed, path) {
			continue
		}
		for _, other := range others {
			n++
			m := wholeMessage(s, n)
			if was := change(m, path, other); reflect.TypeOf(was) == reflect.TypeOf(other) {
				continue // it is of no other type
			}
			if path == "mentions.id" && other == 7 { // it is somebody else
				continue
			}
			take(convert.Dispatch{Session: "s", Sequence: int64(n), Name: "MESSAGE_CREATE", Data: encode(s, m)})
			var e adapters.Event
			select {
			case e = <-s.events:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s is %v: nothing was received", path, other)
			}
			if e.Message == nil || e.Message.Text != "make it grey" || e.Message.For != adapters.Mentioned || e.By.ID != s.ana.ID ||
				e.Thread.Channel != s.channel || e.Thread.Workspace == "" {
				t.Fatalf("%s is %v: received %+v", path, other, e)
			}
			if (path == "attachments.width" || path == "attachments.size") && (len(e.Message.Files) != 2 && len(e.Message.Files) != 1 || e.Message.Files[0].ID != "5") {
				t.Errorf("%s is %v: the files are %+v", path, other, e.Message.Files)
			}
		}
	}
}

// pathsOf returns the paths of the fields of an object, at any depth; for a list those of the first element.
func pathsOf(o fields, in string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		all = append(all, in+name)
		below, _ := o[name].(fields) //nolint:errcheck // others have no fields
		if list, ok := o[name].([]any); ok && len(list) > 0 {
			below, _ = list[0].(fields) //nolint:errcheck // as above
		}
		all = append(all, pathsOf(below, in+name+".")...)
	}
	return all
}

// change replaces the value of a field, and returns the old one.
func change(in fields, path string, other any) (was any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		switch below := in[name].(type) {
		case fields:
			in = below
		case []any:
			in, _ = below[0].(fields) //nolint:errcheck // the paths are its own
		}
	}
	name := names[len(names)-1]
	was, in[name] = in[name], other
	return was
}

// TestOddInteractions sends a button with odd fields, and checks what is logged of them.
func TestOddInteractions(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newSceneWithLog(t, discordtest.Options{}, slog.New(slog.NewTextHandler(&log, nil)))
	take, stop := atGateway(s)
	take(convert.Dispatch{Session: "s", Sequence: 1, Name: "INTERACTION_CREATE", Data: encode(s, fields{
		"id": "1300000000000000001", "application_id": 7, "type": "3", "token": "secret", "guild_id": s.guild, "channel_id": s.channel, "channel": "general",
		"locale": 5, "member": fields{"user": fields{"id": s.ana.ID, "username": []any{"private"}}, "roles": fields{}, "permissions": 8},
		"message": fields{"id": "1300000000000000000", "flags": "private words", "attachments": "none"}, "data": fields{"custom_id": "again", "type": []any{}, "resolved": 5},
	})})
	select {
	case e := <-s.events:
		if e.Reaction == nil || e.Reaction.Sign != adapters.Again || e.Reaction.On.ID != "1300000000000000000" || e.By.ID != s.ana.ID {
			t.Errorf("received %+v", e)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was received")
	}
	stop()
	if text := log.String(); !strings.Contains(text, "message.flags") || strings.Contains(text, "private") || strings.Contains(text, "secret") {
		t.Errorf("the log says\n%s", text)
	}
}
