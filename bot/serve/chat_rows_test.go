package serve_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/slack/slacktest"
	"atelier/agent/toolbox/slow"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/storage/s3/s3test"
)

// TestRefusalsNameNoSettings checks that a refusal of something that cannot run here names no settings and no addresses.
func TestRefusalsNameNoSettings(t *testing.T) {
	t.Parallel()
	photo, err := os.ReadFile("../testdata/photo.jpg")
	bottest.Check(t, err)
	inTeams(t, func(in resident, by team, _ *stickers, o *clitest.Open) {
		for _, text := range []string{"crop out the dog", "how many people are in this photo?", "draw a fox in the snow"} {
			thread := by.wish(text, photo)
			in.shows(o, by, thread, "⚠️", "warning", "❓", "question", "✅", "white_check_mark")
			said, labels := by.visible(thread)
			for _, word := range []string{"_URL", "_TOKEN", "_KEY", "ATELIER_", "http://", "https://"} {
				if strings.Contains(said+strings.Join(labels, "\n"), word) {
					in.Errorf("%q is answered with %q", text, said)
				}
			}
		}
	})
}

// TestDeletedAnswerIsChosenAgain checks that choosing a deleted answer's number brings the answer back.
func TestDeletedAnswerIsChosenAgain(t *testing.T) {
	t.Parallel()
	inBoth(t, func(in resident, by talk) {
		o := in.serve(append(by.settings(), "ATELIER_DATA="+in.TempDir(), "ATELIER_CATALOGUE=../testdata/ways"))
		all, ok := by.(team)
		if !ok {
			in.Fatal("nobody reacts here")
		}
		thread := in.asks()
		first := in.answer(o, thread, 1)
		by.choose(thread, first, 2)
		second := in.answer(o, thread, 2)
		all.react(false, thread, second.id, "🗑", true)
		in.until(o, "the answer is deleted", func() bool {
			return !slices.ContainsFunc(by.posts(thread), func(p post) bool { return p.id == second.id })
		})
		all.react(true, thread, first.id, adapters.Digit(2), true)
		if again := in.answer(o, thread, 2); again.id == second.id {
			in.Error("the answer is still there")
		}
	})
}

// TestDeletedRequestIsStopped checks that deleting a request's message stops the request without an answer.
func TestDeletedRequestIsStopped(t *testing.T) {
	t.Parallel()
	inTeams(t, func(in resident, by team, w *stickers, o *clitest.Open) {
		thread := by.say("make a sticker that says farewell")
		in.asked(o, w, "farewell")
		by.unsay(thread)
		in.stops(o, w, "farewell")
		if n := len(pictures(by, thread)); n != 0 || len(w.all()) != 0 {
			in.Errorf("there are %d results: %s", n, by.posts(thread))
		}
	})
}

// TestLongTextIsFile checks that a long text is sent as a file, with its first lines in the same message.
func TestLongTextIsFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The train to the sea leaves at nine.\n", 200)
	inTeams(t, func(in resident, by team, _ *stickers, o *clitest.Open) {
		thread := by.wishWith("write this in capital letters", "plan.txt", []byte(long))
		in.shows(o, by, thread, "✅", "white_check_mark")
		posts := by.posts(thread)
		last := posts[len(posts)-1]
		if len(posts) > 2 || len(last.pictures) != 1 || string(last.pictures[0].content) != strings.ToUpper(long) {
			in.Errorf("there are %s", posts)
		}
		if !strings.Contains(last.text, "THE TRAIN TO THE SEA LEAVES AT NINE.") || !strings.Contains(last.text, "The whole text is in ") || len(last.text) > 1000 {
			in.Errorf("it says %q", last.text)
		}
	})
}

// TestTooLargeResultsAreLinked checks that with a bucket, files that are too large are sent as links.
func TestTooLargeResultsAreLinked(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	photo := noise(t)
	inBoth(t, func(in resident, by talk) {
		limits := []string{"ATELIER_DATA=" + in.TempDir(), "DISCORD_MAX_FILE_MB=1", "SLACK_MAX_FILE_MB=1"}
		o := in.serve(slices.Concat(by.settings(), limits, clitest.Bucket(s3test.New(in.T, s3test.Config{}))))
		thread := by.wish("make it twice as large", photo)
		in.until(o, "a link", func() bool {
			if s, ok := by.(*inSlack); ok {
				signed := func(m slacktest.Message) bool { return strings.Contains(string(m.Blocks), "X-Amz-Signature=") }
				return slices.ContainsFunc(s.Workspace.Messages(s.channel, thread), signed)
			}
			return slices.ContainsFunc(by.posts(thread), func(p post) bool { return strings.Contains(p.text, "X-Amz-Signature=") })
		})
	})
}
