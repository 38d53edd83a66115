package slacktest

import (
	"context"
	"errors"
	"testing"
	"time"
)

const (
	botToken, appToken, signingSecret = "xoxb-1-2-bot", "xapp-1-A1-app", "8f742231b10e8888abcd99yyyzzz85a5"
	teamID, appID, botUser, botID     = "T0ATELIER", "A0ATELIER", "U0ATELIER", "B0ATELIER"
)

// ErrNotTaken is the error of an interaction that was not acknowledged in time.
var ErrNotTaken = errors.New("slacktest: it was not acknowledged in time")

type (
	channelKind  string
	channelState struct {
		archived, deleted, restricted, noThreads bool
		members                                  map[string]bool
	}
	delivery struct{}
	fault    struct {
		left        int
		limit, lose bool
		after       time.Duration
		failure     Failure
	}
)

const (
	kindChannel channelKind = "channel"
	kindGroup   channelKind = "group"
	kindIM      channelKind = "im"
	kindMPIM    channelKind = "mpim"
)

func newServer(tb testing.TB, o Options) *Server                             { return &Server{} }
func (s *Server) Close()                                                     {}
func (s *Server) deliverTo(base string)                                      {}
func (s *Server) until(ctx context.Context, ok func() bool) error            { return nil }
func (s *Server) addUser(name string, admin, bot bool) string                { return "" }
func (s *Server) addChannel(k channelKind, name string, ms []string) string  { return "" }
func (s *Server) openDM(user string) string                                  { return "" }
func (s *Server) changeChannel(id string, f func(*channelState))             {}
func (s *Server) change(f func())                                            {}
func (s *Server) revoke(code string)                                         {}
func (s *Server) say(p Post) string                                          { return "" }
func (s *Server) edit(channel, ts, text string)                              {}
func (s *Server) unfurl(channel, ts string)                                  {}
func (s *Server) remove(channel, ts string)                                  {}
func (s *Server) react(user, channel, ts, name string, added bool)           {}
func (s *Server) echo(channel, ts string)                                    {}
func (s *Server) shuffle(seed uint64, during func())                         {}
func (s *Server) replaceFile(id string, f File)                              {}
func (s *Server) wait(ctx context.Context, d *delivery) (Ack, error)         { return Ack{}, nil }
func (s *Server) press(user, channel, ts, actionID string) *Interaction      { return nil }
func (s *Server) command(user, channel, command, text string) *Interaction   { return nil }
func (s *Server) shortcut(user, channel, ts, callbackID string) *Interaction { return nil }
func (s *Server) submitView(user, id string, t map[string]string) *Interaction {
	return nil
}
func (s *Server) messages(channel, threadTS string) []Message    { return nil }
func (s *Server) message(channel, ts string) (Message, bool)     { return Message{}, false }
func (s *Server) ephemeralsOf(user string) []Ephemeral           { return nil }
func (s *Server) statusesOf(channel, threadTS string) []string   { return nil }
func (s *Server) viewList() []View                               { return nil }
func (s *Server) callCounts() map[string]int                     { return nil }
func (s *Server) callsOf(method string) []Call                   { return nil }
func (s *Server) deliveryList() []Delivery                       { return nil }
func (s *Server) idle() bool                                     { return true }
func (s *Server) socketCount() int                               { return 0 }
func (s *Server) addFault(method string, f fault)                {}
func (s *Server) stall(method string) (release func())           { return func() {} }
func (s *Server) disconnect(reason string)                       {}
func (s *Server) forge(flaw Forgery, p Post) int                 { return 0 }
func (s *Server) replay() int                                    { return 0 }
func (s *Server) challenge() bool                                { return false }
