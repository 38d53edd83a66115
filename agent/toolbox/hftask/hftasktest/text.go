package hftasktest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// words returns the words of a text, in lower case and without punctuation.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n.,;:!?\"'()[]{}/|", r)
	})
}

// needText returns the input text, and fails if it is empty.
func (q *request) needText() (string, error) {
	text, _ := q.inputs.(string) //nolint:errcheck // the schema guarantees it
	if text = strings.TrimSpace(text); text != "" {
		return text, nil
	}
	return "", bad("the text is empty")
}

// summarize returns the first sentence.
func summarize(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(text, ". ")
	return map[string]string{"summary_text": first}, nil
}

// translate puts every word in brackets, after the language.
func translate(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return map[string]string{"translation_text": q.word("tgt_lang") + ": [" + strings.Join(strings.Fields(text), "] [") + "]"}, nil
}

// generateText answers with the longest words of a prompt's last line, up to max_new_tokens of them.
func generateText(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return map[string]string{"generated_text": telling(text, q.number("max_new_tokens", 200))}, nil
}

func telling(text string, most int) string {
	text = strings.TrimSpace(text)
	all := words(text[strings.LastIndex(text, "\n")+1:])
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return strings.Join(all[:min(6, len(all), most)], ", ")
}

// ranked returns labels with falling scores.
func ranked(names ...string) []label {
	all := []label{}
	for i, name := range names {
		all = append(all, label{name, certain / float64(i+1)})
	}
	return all
}

// classifyText finds every text positive.
func classifyText(_ *world, q *request) (any, error) {
	_, err := q.needText()
	return ranked("POSITIVE", "NEGATIVE"), err
}

// sortText ranks the candidate labels in their order.
func sortText(_ *world, q *request) (any, error) {
	_, err := q.needText()
	return ranked(q.list("candidate_labels")...), err
}

// token is a labelled token.
type token struct {
	Group string  `json:"entity_group"`
	Score float64 `json:"score"`
	Word  string  `json:"word"`
	Start int     `json:"start"`
	End   int     `json:"end"`
}

var capitalised = regexp.MustCompile(`\p{Lu}[\p{L}'-]+`)

// tagTokens finds capitalised words; those after "in" are places, the others persons. Positions are in characters.
func tagTokens(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	found := []token{}
	for _, at := range capitalised.FindAllStringIndex(text, -1) {
		kind := "PER"
		if strings.HasSuffix(text[:at[0]], " in ") {
			kind = "LOC"
		}
		found = append(found, token{kind, certain, text[at[0]:at[1]], utf8.RuneCountInString(text[:at[0]]), utf8.RuneCountInString(text[:at[1]])})
	}
	return found, nil
}

// askDocument cannot read. It describes the page.
func askDocument(_ *world, q *request) (any, error) {
	sc, err := q.sceneOf("image")
	if err != nil {
		return nil, err
	}
	return []struct {
		answer

		Start int `json:"start"`
		End   int `json:"end"`
	}{{answer: answer{"a page with " + sc.account(), certain}}}, nil
}

// found is an answer about a table.
type found struct {
	Answer      string   `json:"answer"`
	Coordinates [][2]int `json:"coordinates"`
	Cells       []string `json:"cells"`
	Aggregator  string   `json:"aggregator"`
}

// askTable answers with the first cell of the table.
func askTable(_ *world, q *request) (any, error) {
	in, _ := q.inputs.(map[string]any)       //nolint:errcheck // the schema guarantees it
	table, _ := in["table"].(map[string]any) //nolint:errcheck // the schema guarantees it
	cells := &request{params: table}
	var columns [][]string
	for _, name := range sortedKeys(table) { // JSON objects are unordered
		columns = append(columns, cells.list(name))
	}
	if len(columns) == 0 || len(columns[0]) == 0 {
		return nil, bad("the table is empty")
	}
	if slices.ContainsFunc(columns, func(c []string) bool { return len(c) != len(columns[0]) }) {
		return nil, bad("the columns have different lengths")
	}
	first := columns[0][0]
	return []found{{first, [][2]int{{0, 0}}, []string{first}, "NONE"}}, nil
}

// The answer of chat completions (tasks/chat-completion/output.json).
type (
	chat struct {
		ID      string    `json:"id"`
		Created int64     `json:"created"`
		Model   string    `json:"model"`
		System  string    `json:"system_fingerprint"`
		Choices []choice  `json:"choices"`
		Usage   chatUsage `json:"usage"`
	}
	choice struct {
		Index   int     `json:"index"`
		Finish  string  `json:"finish_reason"`
		Message message `json:"message"`
	}
	message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	chatUsage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
)

// chatTask is the name of the schemas of conversations, which text-generation models support.
const chatTask = "chat-completion"

// serveChat answers the message of a conversation as text-generation would.
func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	c, err := s.reader.readChat(body)
	call := s.arrive(r, c)
	var m made
	if err == nil {
		m, err = s.checked(chatTask, chat{
			ID: "chat-1", Created: 1_790_000_000, Model: c.Model, System: "hftasktest",
			Choices: []choice{{Finish: "stop", Message: message{Role: "assistant", Content: telling(c.Text, 200)}}},
		})
	}
	if err != nil {
		s.refuse(w, call, err)
		return
	}
	m.write(w)
}

// readChat parses a conversation of one message.
func (rd *reader) readChat(body []byte) (Call, error) {
	c := Call{Task: "text-generation"}
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return c, bad("the body is not a JSON object: %w", err)
	}
	if err := rd.rules.refuse(chatTask, members); err != nil {
		return c, bad("%w", err)
	}
	var asked struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Messages) != 1 || strings.TrimSpace(asked.Messages[0].Content) == "" {
		return c, bad("the conversation has no message with a text, or several: %w", err)
	}
	c.Model, c.Text = asked.Model, asked.Messages[0].Content
	if !slices.Contains(rd.models[c.Task], c.Model) {
		return c, refusal{http.StatusNotFound, "The requested model '" + c.Model + "' does not exist"}
	}
	return c, nil
}
