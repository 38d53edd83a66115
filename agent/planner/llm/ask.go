package llm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// The names of the jobs, in labels, prompts and [plan.Job].
const (
	decomposeJob = "decompose"
	assessJob    = "assess"
	settleJob    = "settle"
	respondJob   = "respond"
)

// question is one job put to a model.
type question struct {
	job     string
	request string // the id of the request
	system  string // the same for every request, unless the catalogue had to be cut
	user    string
	// pictures are shown with the user's part, as JPEG.
	pictures [][]byte
	// schema is that of the answer. Nil means plain text.
	schema *schema
	// output is the most tokens of an answer.
	output int
}

// complaint is what is wrong with an answer: exactly, for the model, and in one word,
// for the operator, since the exact words may quote a user.
type complaint struct {
	kind string
	text string
}

func (c *complaint) Error() string { return c.kind }

func complain(kind, format string, args ...any) error {
	return &complaint{kind, fmt.Sprintf(format, args...)}
}

// The kinds of complaints that every job knows.
const (
	emptyAnswer     = "empty"
	cutOffAnswer    = "cut off"
	notJSON         = "no JSON"
	wrongShape      = "wrong shape"
	unknownTool     = "unknown tool"
	unknownResource = "unknown resource"
	wrongType       = "wrong type"
	wrongOrder      = "wrong order"
	missingPart     = "missing part"
	internalName    = "internal name"
)

// AnswerError is an answer that could not be used, and neither could the one after the
// complaint.
type AnswerError struct {
	Job string
	// Kind says in a word or two what was wrong with it.
	Kind string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the model's answer to the job %s could not be used: %s", e.Job, e.Kind)
}

// rounds is how often a question is put: once, and once more with the complaint.
const rounds = 2

// ask puts a question and hands the answer to take, which checks it. What take
// complains of is sent back once. What it took is noted in t.
func (m *Planner) ask(ctx context.Context, q question, t *plan.Thinking, take func(content string) error) error {
	model := m.model
	if q.job == decomposeJob {
		model = m.decomposer
	}
	began := m.config.Clock()
	job := plan.Job{Name: q.job}
	defer func() {
		if job.Model == "" { // nobody was asked
			return
		}
		job.Took = m.config.Clock().Sub(began)
		t.Jobs = append(t.Jobs, job)
	}()
	messages := q.messages()
	for round := 1; ; round++ {
		if round > 1 { // one that was tuned to decompose may not follow a complaint
			model = m.model
		}
		how, err := model.manner(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", q.job, err)
		}
		job.Model = how.model
		most, err := m.room(q, how, messages, t.Tokens()+job.Input+job.Output)
		if err != nil {
			return err
		}
		answer, err := model.complete(endpoint.Label(ctx, q.request, q.job, round), q, how, messages, most, &job)
		if err == nil {
			err = take(answer.content)
		}
		wrong, ok := errors.AsType[*complaint](err)
		if !ok {
			return err
		}
		wrong = answer.blame(wrong)
		if round == rounds {
			return &plan.Fault{
				Sentence: plan.Say("The language model gave an answer that I could not use, twice. Please say it in other words, or try again."),
				Err:      &AnswerError{Job: q.job, Kind: wrong.kind},
			}
		}
		job.Repairs++
		if messages, err = m.repair(q, messages, answer.content, wrong.text); err != nil {
			return err
		}
	}
}

// leastOutput is the room without which nothing is asked: no answer is shorter than that
// many tokens for sure.
const leastOutput = 256

// room is how many tokens the next answer may have: what the job needs, more for a model
// that thinks, and no more than is left of the context and of what the request may take.
func (m *Planner) room(q question, how manner, messages []openai.ChatCompletionMessage, spent int) (int, error) {
	most := q.output
	if how.thinks {
		most *= thoughts
	}
	input := tokensOf(messages)
	least := min(q.output, leastOutput)
	left := m.config.MaxTokens - spent - input
	if left < least {
		return 0, plan.TooDear(q.job, spent+input+least, m.config.MaxTokens)
	}
	return min(most, left, max(m.config.ContextTokens-input, least)), nil
}

// How much of a bad answer is shown to the model again, in bytes, and of what is wrong
// with it, in tokens.
const (
	repeated   = 8000
	complained = 1024
)

// repairRoom is what the decomposition leaves of a context for the complaint and the bad
// answer.
func repairRoom(context int) int { return context / 16 }

// repair adds to the messages the bad answer and what is wrong with it, as much as leaves
// room for another one.
func (m *Planner) repair(q question, messages []openai.ChatCompletionMessage, content, wrong string) ([]openai.ChatCompletionMessage, error) {
	left := m.config.ContextTokens - tokensOf(messages) - q.output - 2*perMessage
	fixed, err := m.prompts.repair("")
	if err != nil {
		return nil, err
	}
	left = max(left, leastOutput) - tokens(fixed)
	wrong = clipTo(wrong, min(left, complained))
	content = clipTo(clip(content, repeated), left-tokens(wrong))
	text, err := m.prompts.repair(wrong)
	if err != nil {
		return nil, err
	}
	if len(content) > len("…") {
		messages = append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: content})
	}
	return append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text}), nil
}

func (q question) messages() []openai.ChatCompletionMessage {
	user := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.user}
	if len(q.pictures) > 0 {
		user.Content = ""
		user.MultiContent = []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: q.user}}
		for _, p := range q.pictures {
			user.MultiContent = append(user.MultiContent, openai.ChatMessagePart{
				Type:     openai.ChatMessagePartTypeImageURL,
				ImageURL: &openai.ChatMessageImageURL{URL: "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(p), Detail: openai.ImageURLDetailLow},
			})
		}
	}
	return []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: q.system}, user}
}

// answer is what a model wrote, without its thoughts.
type answer struct {
	content string
	// open is that the server told no reason for the end, as where a connection broke.
	open bool
}

// blame says of an answer that has no form and no end that it was cut off.
func (a answer) blame(wrong *complaint) *complaint {
	if a.open && wrong.kind == notJSON {
		return &complaint{cutOffAnswer, cutOffText}
	}
	return wrong
}

const cutOffText = "The answer was too long and was cut off. Answer again, whole and shorter."

// complete makes one call for an answer of at most so many tokens. Where the server
// refuses a parameter or the format, it is asked without, and that is remembered once it
// worked; where it does not know a model that was chosen, another one is asked. An answer that
// is empty, cut off or refused is an error.
func (a *asked) complete(
	ctx context.Context, q question, how manner, messages []openai.ChatCompletionMessage, most int, job *plan.Job,
) (answer, error) {
	for from := how; ; {
		response, err := a.Endpoint.Client().CreateChatCompletion(ctx, a.request(messages, q.schema, how, most))
		if err != nil {
			err = a.Endpoint.Sort(err, how.model)
			if next, ok := how.plainer(err, from, q.schema != nil); ok {
				how = next
				continue
			}
			if next, ok := a.another(ctx, err, how.model); ok {
				how, from, job.Model = next, next, next.model
				continue
			}
			if endpoint.Declined(err) {
				err = &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: err, Final: true}
			}
			return answer{}, fmt.Errorf("%s: %w", q.job, err)
		}
		a.worked(how, q.schema != nil)
		return a.read(response, messages, job)
	}
}

// read takes the content out of an answer and counts what it took.
func (a *asked) read(response openai.ChatCompletionResponse, messages []openai.ChatCompletionMessage, job *plan.Job) (answer, error) {
	job.Calls++
	if len(response.Choices) == 0 {
		count(response.Usage, messages, "", job)
		return answer{}, complain(emptyAnswer, "There was no answer.")
	}
	choice := response.Choices[0]
	count(response.Usage, messages, choice.Message.Content, job)
	content, cut := endpoint.WithoutThoughts(choice.Message.Content), endpoint.CutOff(choice.FinishReason)
	switch {
	case choice.Message.Refusal != "", choice.FinishReason == openai.FinishReasonContentFilter:
		return answer{}, &plan.Fault{
			Sentence: plan.Say("The language model declines this wish. Please ask for something else, or say it in other words."),
			Err:      fmt.Errorf("%s: the model refused", job.Name),
			Final:    true, // nothing else may do what it declines
		}
	case content == "" && cut:
		a.thought() // so the next one has more room
		return answer{}, complain(cutOffAnswer, "The answer was cut off before it began. Think less and answer briefly.")
	case content == "":
		return answer{}, complain(emptyAnswer, "The answer was empty.")
	case cut:
		return answer{content: content}, complain(cutOffAnswer, cutOffText)
	}
	return answer{content: content, open: choice.FinishReason == ""}, nil
}

// count notes the tokens of an answer, estimated where the server does not tell them.
func count(u openai.Usage, messages []openai.ChatCompletionMessage, content string, job *plan.Job) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		job.Estimated = true
		job.Input += tokensOf(messages)
		job.Output += tokens(content)
		return
	}
	job.Input += u.PromptTokens
	job.Output += u.CompletionTokens
	if d := u.PromptTokensDetails; d != nil {
		job.Cached += d.CachedTokens
	}
}
