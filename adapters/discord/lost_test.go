package discord

import (
	"context"
	"slices"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/discord/discordtest"
)

// lose ends the session for good, and begins another one after what happens meanwhile.
func (s *scene) lose(meanwhile func()) {
	s.s.Gateway.Refuse(true)
	s.s.Gateway.InvalidSession(false)
	s.s.Gateway.CutOff()
	meanwhile()
	s.s.Gateway.Refuse(false)
}

// Messages written while the session was lost are received, in order.
func TestLostSessionOtherChannelFirst(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("first")
	s.next()
	other := s.s.World.Channel(s.guild, "other")
	s.lose(func() {
		s.s.People.Say(discordtest.Post{Channel: other, By: s.ana, Content: "<@" + s.s.BotID() + "> third"})
		s.mention("second")
	})
	got := []string{s.next().Message.Text, s.next().Message.Text}
	slices.Sort(got)
	if !slices.Equal(got, []string{"second", "third"}) {
		t.Errorf("received %q", got)
	}
}

// A channel that cannot be read at once is read later, and nobody's message is delivered without the roles.
func TestLostSessionWithFaults(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*scene){
		"a pause":  func(s *scene) { s.s.Faults.RateLimit(1, 6*time.Second, false, discordtest.GetMessages) },
		"a fault":  func(s *scene) { s.s.Faults.FailNext(3, 500, discordtest.GetMessages) },
		"of roles": func(s *scene) { s.s.Faults.FailNext(3, 500, discordtest.GetMember) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{}).listen()
			s.s.World.Assign(s.guild, s.ana, s.s.World.Role(s.guild, "guests", 0))
			s.mention("before") // so that the first session has been told of the server
			s.next()
			s.lose(func() {
				s.s.People.Say(discordtest.Post{Channel: s.s.World.Channel(s.guild, "other"), By: s.ana, Content: "<@" + s.s.BotID() + "> first"})
				fault(s)
			})
			if e := s.next(); len(e.By.Roles) != 1 {
				t.Errorf("received an event by %+v", e.By)
			}
		})
	}
}

// Messages that were not accepted, or written while nobody listens, are delivered to the next listener.
func TestAfterARestart(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.mention("before the bot ever listened")
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over, failed := make(chan error, 1), make(chan struct{}, 100)
	go func() {
		over <- s.d.Listen(ctx, func(context.Context, adapters.Event) error {
			failed <- struct{}{}
			return adapters.ErrRateLimited
		})
	}()
	s.await(func() bool { return len(s.s.Interactions.Commands()) > 0 })
	s.mention("not taken")
	<-failed
	stop()
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	s.mention("nobody listens")
	s.listen()
	got := []string{s.next().Message.Text, s.next().Message.Text}
	slices.Sort(got)
	if !slices.Equal(got, []string{"nobody listens", "not taken"}) {
		t.Errorf("received %q", got)
	}
}

// A session is resumed even if the REST interface fails.
func TestResumeWithoutREST(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("first")
	s.next()
	s.s.Faults.FailNext(100_000, 500, discordtest.Me)
	s.s.Gateway.CutOff()
	s.mention("second")
	if e := s.next(); e.Message.Text != "second" {
		t.Errorf("received %q", e.Message.Text)
	}
}

// The commands are registered even if that fails at first.
func TestCommandsAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.s.Faults.FailNext(3, 500, discordtest.PutCommands)
	s.listen()
}

// Toggling a reaction on somebody else's message does nothing, without asking Discord.
func TestReactionFlood(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	m := s.s.People.Say(discordtest.Post{Channel: s.channel, By: s.ana, Content: "not for the bot"})
	before := s.s.REST.Calls()
	for range 50 {
		s.s.People.React(s.ana, s.channel, m.ID, "1️⃣", true)
		s.s.People.React(s.ana, s.channel, m.ID, "1️⃣", false)
	}
	s.mention("after it")
	if e := s.next(); e.Message == nil || s.s.REST.Calls() != before {
		t.Errorf("received %q after %d calls", e.Kind, s.s.REST.Calls()-before)
	}
}

// The removal of a bot's reaction is not delivered, even if the user cannot be looked up.
func TestReactionOfUnknown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("first")
	answer := s.send("a", adapters.Reply{Thread: s.next().Thread, Text: "Here."})
	bot := s.s.World.BotUser("bridge")
	s.s.Gateway.Withhold("MESSAGE_REACTION_ADD")
	s.s.People.React(bot, answer.Channel, answer.ID, "1️⃣", true)
	s.s.Faults.FailNext(2, 500, discordtest.GetMember, discordtest.GetUser)
	s.s.People.React(bot, answer.Channel, answer.ID, "1️⃣", false)
	s.mention("after it")
	if e := s.next(); e.Message == nil {
		t.Errorf("received %q by %+v", e.Kind, e.By)
	}
}

// An interaction is acknowledged even if everything else waits for Discord.
func TestInteractionsWaitForNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{}).listen()
	s.mention("first")
	answer := s.send("a", adapters.Reply{Thread: s.next().Thread, Text: "Here."})
	s.s.Faults.RateLimit(1, 4*time.Second, true, discordtest.GetMember)
	s.s.Gateway.Withhold("MESSAGE_REACTION_ADD")
	bob := s.s.World.User("Bob")
	s.s.People.React(bob, answer.Channel, answer.ID, "1️⃣", true)
	s.s.People.React(bob, answer.Channel, answer.ID, "1️⃣", false)
	s.await(func() bool {
		return s.s.REST.Calls(discordtest.GetMember) > 0 || s.s.REST.Calls(discordtest.GetUser) > 0
	})
	i := s.s.Interactions.Slash(discordtest.SlashCommand{By: s.ana, Channel: s.channel, Name: "atelier", Sub: "help"})
	<-i.Acknowledged()
}
