package serve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/serve"
)

// town is a chat platform on this machine, with a channel in which a person writes.
type town interface {
	// name is the platform's name.
	name() string
	// settings returns the settings that connect the program.
	settings() []string
	// ready waits until the program receives new messages.
	ready(ctx context.Context, o *clitest.Open) error
	// request mentions the bot in a new message with a picture, and returns its thread.
	wish(text string, picture []byte) (thread string)
	// wishWith mentions the bot in a new message with a file, and returns its thread.
	wishWith(text, name string, content []byte) (thread string)
	// wishOf mentions the bot in the thread of a picture that somebody else has posted.
	wishOf(text string, picture []byte) (thread string)
	// posts returns the bot's messages in a thread, the oldest first.
	posts(thread string) []post
	// choose adds a number reaction to one of them.
	choose(thread string, p post, number int)
	// await waits until a condition on the messages holds.
	await(ctx context.Context, holds func() bool) error
}

// post is a message of the bot.
type post struct {
	id       string
	text     string
	pictures []shown
	numbers  int // that the bot has put on it, to choose by
}

// String returns its visible parts.
func (p post) String() string {
	return fmt.Sprintf("%s: %q, %d pictures, %d numbers; ", p.id, p.text, len(p.pictures), p.numbers)
}

// shown is a picture with its description.
type shown struct {
	content     []byte
	description string
}

// inDiscord is a guild of Discord.
type inDiscord struct {
	*discordtest.Server
	channel string
	ann     discordtest.User
	bob     discordtest.User
	pressed []*discordtest.Interaction
	helped  *discordtest.Interaction // ann's last command for help
}

func newInDiscord(t *testing.T, o discordtest.Options) *inDiscord {
	t.Helper()
	s := discordtest.New(t, o)
	return &inDiscord{Server: s, channel: s.World.Channel(s.World.Guild("team"), "pictures"), ann: s.World.User("ann"), bob: s.World.User("bob")}
}

func (*inDiscord) name() string { return "discord" }

func (d *inDiscord) settings() []string {
	return []string{"DISCORD_TOKEN=" + d.Token(), "DISCORD_API_URL=" + d.URL()}
}

func (d *inDiscord) ready(ctx context.Context, _ *clitest.Open) error {
	return d.Gateway.AwaitConnected(ctx)
}

func (d *inDiscord) wish(text string, picture []byte) string {
	return d.wishWith(text, "photo.jpg", picture)
}

func (d *inDiscord) wishWith(text, name string, content []byte) string {
	return d.People.Say(discordtest.Post{
		Channel: d.channel, By: d.ann, Content: d.Bot().Mention() + " " + text, Files: []discordtest.File{{Name: name, Content: content}},
	}).ID
}

func (d *inDiscord) wishOf(text string, picture []byte) string {
	bob := d.bob
	photo := d.People.Say(discordtest.Post{
		Channel: d.channel, By: bob, Content: "look", Files: []discordtest.File{{Name: "photo.jpg", Type: "image/jpeg", Content: picture}},
	})
	thread := d.People.Thread(d.channel, photo.ID, "look", bob)
	d.People.Say(discordtest.Post{Channel: thread, By: d.ann, Content: d.Bot().Mention() + " " + text})
	return thread
}

func (d *inDiscord) posts(thread string) []post {
	var all []post
	for _, m := range d.World.Messages(thread) {
		if m.Author.ID != d.BotID() {
			continue
		}
		p := post{id: m.ID, text: m.Content}
		for _, a := range m.Attachments {
			p.pictures = append(p.pictures, shown{a.Content, a.Description})
		}
		for _, r := range m.Reactions {
			if strings.HasSuffix(r.Emoji, "\u20e3") && slices.Contains(r.Users, d.BotID()) {
				p.numbers++
			}
		}
		all = append(all, p)
	}
	return all
}

func (d *inDiscord) choose(thread string, p post, number int) {
	d.People.React(d.ann, thread, p.id, adapters.Digit(number), true)
}

func (d *inDiscord) await(ctx context.Context, holds func() bool) error { return d.Await(ctx, holds) }

// inSlack is a workspace of Slack.
type inSlack struct {
	*slacktest.Server
	channel, ann, bob string
	// overHTTP has Slack send its events over HTTP.
	overHTTP bool
}

func newInSlack(t *testing.T, overHTTP bool) *inSlack {
	t.Helper()
	return inSlackOf(t, slacktest.Options{}, overHTTP)
}

func inSlackOf(t *testing.T, o slacktest.Options, overHTTP bool) *inSlack {
	t.Helper()
	s := slacktest.New(t, o)
	ann, bob := s.Workspace.User("ann"), s.Workspace.User("bob")
	return &inSlack{s, s.Workspace.Channel("pictures", ann, bob), ann, bob, overHTTP}
}

func (*inSlack) name() string { return "slack" }

func (s *inSlack) settings() []string {
	all := []string{"SLACK_BOT_TOKEN=" + s.BotToken(), "SLACK_API_URL=" + s.URL()}
	if s.overHTTP {
		return append(all, "SLACK_SIGNING_SECRET="+s.SigningSecret())
	}
	return append(all, "SLACK_APP_TOKEN="+s.AppToken())
}

func (s *inSlack) ready(ctx context.Context, o *clitest.Open) error {
	if s.overHTTP {
		s.Webhooks.Deliver(o.Address)
		return nil
	}
	return s.Until(ctx, func() bool { return s.Sockets.Count() > 0 })
}

func (s *inSlack) wish(text string, picture []byte) string {
	return s.wishWith(text, "photo.jpg", picture)
}

func (s *inSlack) wishWith(text, name string, content []byte) string {
	return s.People.Say(slacktest.Post{
		Channel: s.channel, By: s.ann, Text: slacktest.Mention(s.BotUser()) + " " + text, Files: []slacktest.File{{Name: name, Data: content}},
	})
}

func (s *inSlack) wishOf(text string, picture []byte) string {
	bob := s.bob
	thread := s.People.Say(slacktest.Post{Channel: s.channel, By: bob, Text: "look", Files: []slacktest.File{{Name: "photo.jpg", Data: picture}}})
	s.People.Say(slacktest.Post{Channel: s.channel, ThreadTS: thread, By: s.ann, Text: slacktest.Mention(s.BotUser()) + " " + text})
	return thread
}

func (s *inSlack) posts(thread string) []post {
	var all []post
	for _, m := range s.Workspace.Messages(s.channel, thread) {
		if m.User != s.BotUser() {
			continue
		}
		p := post{id: m.TS, text: m.Text}
		for _, f := range m.Files {
			p.pictures = append(p.pictures, shown{f.Data, f.AltTxt})
		}
		for _, r := range m.Reactions {
			if slices.Contains(slackNumbers, r.Name) && slices.Contains(r.Users, s.BotUser()) {
				p.numbers++
			}
		}
		all = append(all, p)
	}
	return all
}

// slackNumbers are Slack's names of the number emoji, from 1.
var slackNumbers = []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

func (s *inSlack) choose(_ string, p post, number int) {
	s.People.React(s.ann, s.channel, p.id, slackNumbers[number-1], true)
}

func (s *inSlack) await(ctx context.Context, holds func() bool) error { return s.Until(ctx, holds) }

// TestInDiscordAndSlack posts a picture with a mention, gets the edge map in the thread, adds 2️⃣, and gets the result
// of the alternative; also if the process is restarted in between.
func TestInDiscordAndSlack(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() town{
		"Discord":                 func() town { return newInDiscord(t, discordtest.Options{}) },
		"Discord without content": func() town { return newInDiscord(t, discordtest.Options{WithoutContent: true}) },
		"Slack by Socket Mode":    func() town { return newInSlack(t, false) },
		"Slack by requests":       func() town { return newInSlack(t, true) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "Discord without content" || name == "Slack by requests" {
				slow.Test(t)
			}
			t.Parallel()
			in := resident{t, build()}
			env := append(in.settings(), "ATELIER_DATA="+t.TempDir(), "ATELIER_CATALOGUE=../testdata/ways")
			o := in.serve(env)
			thread := in.asks()
			first := in.answer(o, thread, 1)
			in.showsEdges(first)
			in.choose(thread, first, 2)
			in.showsLines(in.answer(o, thread, 2), first)

			thread = in.asks()
			first = in.answer(o, thread, 1)
			in.showsEdges(first)
			o.End()
			if o.Err != nil {
				t.Errorf("it ended with %v\n%s", o.Err, o.Log)
			}
			o = in.serve(env)
			in.choose(thread, first, 2)
			in.showsLines(in.answer(o, thread, 2), first)
			in.tellsNoSecret(o, env)
		})
	}
}

// TestInAThreadOfOthers has somebody post a picture, and somebody else mention the bot in its thread.
func TestInAThreadOfOthers(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() town{
		"Discord": func() town { return newInDiscord(t, discordtest.Options{}) },
		"Slack":   func() town { return newInSlack(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := resident{t, build()}
			o := in.serve(append(in.settings(), "ATELIER_DATA="+t.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
			photo, err := os.ReadFile("../testdata/photo.jpg")
			if err != nil {
				t.Fatal(err)
			}
			in.showsEdges(in.answer(o, in.wishOf("find the edges in this picture", photo), 1))
		})
	}
}

// resident is a person in a town who makes requests.
type resident struct {
	*testing.T
	town
}

// Name returns the town's name; several embedded types have one.
func (r resident) Name() string { return r.name() }

// serve connects the program with the town.
func (r resident) serve(env []string) *clitest.Open {
	r.Helper()
	o := clitest.OpenService(r.T, serve.Service{Chats: []string{r.Name()}}, env...)
	ctx, stop := context.WithTimeout(r.Context(), clitest.Busy)
	defer stop()
	if err := r.ready(ctx, o); err != nil {
		r.Fatalf("it does not connect: %v\n%s", err, o.Log)
	}
	return o
}

// asks requests an edge map of a photo, which the tools of testdata/ways make in several ways.
func (r resident) asks() (thread string) {
	r.Helper()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	if err != nil {
		r.Fatal(err)
	}
	return r.wish("find the edges in this picture", photo)
}

// answer waits for the n-th answer in a thread, which must have pictures with descriptions and numbered alternatives.
// It returns the message with the numbers, with the pictures.
func (r resident) answer(o *clitest.Open, thread string, n int) post {
	r.Helper()
	ctx, stop := context.WithTimeout(r.Context(), clitest.Busy)
	defer stop()
	var answers []post
	err := r.await(ctx, func() bool { answers = answersOf(r.posts(thread)); return len(answers) >= n })
	if err != nil || len(answers) != n || len(answers[n-1].pictures) == 0 {
		r.Fatalf("%v: %d answers among %s\n%s", err, len(answers), r.posts(thread), o.Log)
	}
	for _, p := range answers[n-1].pictures {
		if p.description == "" {
			r.Error("a picture has no description")
		}
	}
	return answers[n-1]
}

// answersOf returns the messages with numbers, each with the pictures posted since the previous one.
func answersOf(posts []post) []post {
	var answers []post
	var pictures []shown
	for _, p := range posts {
		pictures = append(pictures, p.pictures...)
		if p.numbers > 1 {
			p.pictures = pictures
			answers, pictures = append(answers, p), nil
		}
	}
	return answers
}

// picture reads the only picture of an answer, which must have the size of the photo.
func (r resident) picture(answer post) clitest.Grey {
	r.Helper()
	if len(answer.pictures) != 1 {
		r.Fatalf("there are %d pictures", len(answer.pictures))
	}
	file := filepath.Join(r.TempDir(), "picture")
	bottest.Write(r.T, file, string(answer.pictures[0].content))
	g := clitest.ReadGrey(r.T, file)
	if g.W != 640 || g.H != 426 {
		r.Fatalf("the picture is %d × %d", g.W, g.H)
	}
	return g
}

// showsEdges expects an answer with only the edge map of the photo.
func (r resident) showsEdges(answer post) {
	r.Helper()
	edges := r.picture(answer)
	if problem := clitest.JudgeEdges(clitest.RidgesOf(clitest.ReadGrey(r.T, "../testdata/photo.jpg")), edges); problem != "" {
		r.Error(problem)
	}
}

// showsLines expects an answer with only straight lines of the photo: white on black, fewer pixels than the edges, and
// most of them on edges.
func (r resident) showsLines(answer, edges post) {
	r.Helper()
	lines, all := r.picture(answer), r.picture(edges)
	var white, right, most float64
	for i, level := range lines.Pix {
		if all.Pix[i] >= 128 {
			most++
		}
		if level >= 128 {
			white++
			if all.Near(i%lines.W, i/lines.W) >= 128 {
				right++
			}
		}
	}
	if white < 100 || white > most || right < white/2 {
		r.Errorf("it has %.0f white pixels, %.0f of them at edges, of which there are %.0f", white, right, most)
	}
}

// tellsNoSecret checks that the log contains neither the tokens nor the request.
func (r resident) tellsNoSecret(o *clitest.Open, env []string) {
	r.Helper()
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if (strings.HasSuffix(name, "TOKEN") || strings.HasSuffix(name, "SECRET")) && strings.Contains(o.Log.String(), value) {
			r.Errorf("the log tells %s", name)
		}
	}
	if strings.Contains(o.Log.String(), "find the edges") || strings.Contains(o.Log.String(), "photo.jpg") {
		r.Errorf("the log tells what was asked:\n%s", o.Log)
	}
}
