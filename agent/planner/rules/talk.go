package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
)

// Sentences of conversation.
var (
	leftAlone = plan.Say("All right, I will leave it as it is.")
	hello     = plan.Say("Hello! What can I do for you? Attach a picture, a sound, a video or a PDF and say what you want.")
	welcome   = plan.Say("You are welcome! What would you like next?")
	praised   = plan.Say("Thank you! What would you like next?")
	disliked  = plan.Say("Sorry that you do not like it. Tell me what to change, or write \"undo that\" to go back to the version before.")
	scolded   = plan.Say("Sorry that I did not do better. Tell me what I should do instead.")
	goodbye   = plan.Say("Goodbye! Come back whenever you need something.")
	laughing  = plan.Say("Glad that made you laugh! What would you like next?")
	allRight  = plan.Say("All right! What would you like next?")
	aboutMe   = plan.Say("I am Atelier, a bot with a workshop of media tools. Attach a picture, a sound, a video or a PDF, or just write, " +
		"and tell me in your own words what you want. I split your request into steps, choose the tools and send you the results.")
	noReasons     = plan.Say("My answers say all that I know about it. Ask \"what can you do?\" for examples.")
	noCharge      = plan.Say("I charge nothing. The people who run me may limit how much you can ask for.")
	nothingToUndo = plan.Say("There is nothing to undo: I have not made anything from a file here.")
	otherLanguage = plan.Say("Sorry, without a language model I understand only English. Please say it in English, for example \"make it half as large\".")
	onlyTheWhole  = plan.Say("Sorry, I cannot do that to everything except the marked part. " +
		"I can do it to the whole picture, or cut out the marked part.")
	noDelivery = plan.Say("Sorry, I cannot mail, post, upload or print anything, or remind you of it. I only give you back what I make.")
	noTool     = plan.Say("Sorry, I have no tool for that. I work on pictures, sound, video and text; ask \"what can you do?\" for examples.")
)

// talk answers messages that need no tool: greetings, thanks, questions about the program and what it did, and requests in
// a language that the rules do not understand. It returns nil for others.
func (p *Planner) talk(r plan.Request, text string) *outcome {
	plain := strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	switch {
	case plain == "" && len(r.Turns) > 0 && len(r.Given) == 0 && strings.ContainsFunc(text, unicode.IsSymbol): // "👍"
		return &outcome{reply: welcome}
	case !strings.ContainsFunc(plain, unicode.IsLetter):
		if len(r.Given) > 0 {
			return asking(whatWith(resourceNames(r.Given)))
		}
		return &outcome{question: emptyRequest, samples: true}
	case p.IsMadeOf(plain, "greetings", "thanks"):
		return &outcome{reply: hello, samples: true}
	case !smallTalk(p, plain).IsZero():
		return &outcome{reply: smallTalk(p, plain)}
	case p.IsMadeOf(plain, "about", "greetings"), len(r.Given) == 0 && p.IsMadeOf(plain, "about", "about topics"):
		return &outcome{reply: aboutMe, samples: true}
	case len(r.Given) == 0 && p.IsMadeOf(plain, "taking back", "thanks", "praise"):
		return before(r)
	case len(r.Given) == 0 && p.IsMadeOf(plain, "asking for the original", "thanks", "praise"):
		return original(r)
	case len(r.Given) == 0 && p.IsMadeOf(plain, "asking what was done", "agreement"):
		return lastMade(r)
	case len(r.Given) == 0 && p.IsMadeOf(plain, "asking why", "agreement"):
		return &outcome{reply: noReasons}
	case len(r.Given) == 0 && p.IsMadeOf(plain, "asking the price", "greetings"):
		return &outcome{reply: noCharge}
	case p.IsForeign(text):
		return refusing(otherLanguage)
	}
	return nil
}

// lists tells what a text is made of.
type lists interface {
	IsMadeOf(plain, section string, beside ...string) bool
}

// smallTalk returns the reply to farewells, complaints, thanks, praise, laughter and agreement in lower case; none to anything
// else.
func smallTalk(l lists, plain string) plan.Message {
	sections := []string{"greetings", "thanks", "praise", "dislike", "insults", "farewells", "laughter", "agreement"}
	for _, talk := range []struct {
		section string
		reply   plan.Message
	}{
		{"farewells", goodbye}, {"dislike", disliked}, {"insults", scolded}, {"thanks", welcome}, {"praise", praised}, {"laughter", laughing},
		{"agreement", allRight},
	} {
		if l.IsMadeOf(plain, talk.section, sections...) {
			return talk.reply
		}
	}
	return plan.Message{}
}

// before answers a request to take the last result back by naming the file from before it, which the
// reply brings if it is a result.
func before(r plan.Request) *outcome {
	last := len(r.Turns) - 1
	for last >= 0 && len(r.Turns[last].Made) == 0 {
		last--
	}
	made := map[string]bool{}
	for _, t := range r.Turns[:last+1] {
		for _, name := range t.Made {
			made[name] = true
		}
	}
	for _, res := range slices.Backward(r.Earlier) {
		switch {
		case last < 0 || !res.Type.Media() || slices.Contains(r.Turns[last].Made, res.Name):
		case made[res.Name]:
			return &outcome{reply: plan.Say("Here is the previous version: %s.", cmp.Or(res.File, res.Name)), brings: []string{res.Name}}
		default:
			return unchanged(res)
		}
	}
	return &outcome{reply: nothingToUndo}
}

// original answers a request for the file from before all changes by naming it.
func original(r plan.Request) *outcome {
	for _, res := range slices.Backward(r.Earlier) {
		made := slices.ContainsFunc(r.Turns, func(t plan.Turn) bool { return slices.Contains(t.Made, res.Name) })
		if res.Type.Media() && res.On == "" && !made {
			return unchanged(res)
		}
	}
	return &outcome{reply: nothingToUndo}
}

func unchanged(own plan.Resource) *outcome {
	return &outcome{reply: plan.Say("Your own file is unchanged: %s. To continue from it, name it.", cmp.Or(own.File, own.Name))}
}

// lastMade answers what was done last: the request and the files made for it.
func lastMade(r plan.Request) *outcome {
	for _, t := range slices.Backward(r.Turns) {
		made := slices.DeleteFunc(slices.Clone(r.Earlier), func(res plan.Resource) bool {
			return !res.Type.Media() || !slices.Contains(t.Made, res.Name)
		})
		if len(made) > 0 {
			return &outcome{reply: plan.Say("When you wrote “%s”, I made %s.", t.Wish, resourceNames(made))}
		}
	}
	return &outcome{reply: noReasons}
}
