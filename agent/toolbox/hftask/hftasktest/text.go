package hftasktest

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits a text into sentences.
func sentences(text string) []string {
	var all []string
	for _, s := range regexp.MustCompile(`[^.!?\n]+[.!?]*`).FindAllString(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// needText returns the input text, and fails if it is empty.
func (q *request) needText() (string, error) {
	if text := strings.TrimSpace(q.text()); text != "" {
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
	return map[string]string{"summary_text": append(sentences(text), text)[0]}, nil
}

// dictionary holds translations by language.
var dictionary = map[string]map[string]string{
	"de": {
		"hello": "hallo", "good": "guten", "morning": "Morgen", "day": "Tag", "the": "die", "cat": "Katze",
		"house": "Haus", "a": "ein", "is": "ist", "red": "rot", "and": "und", "world": "Welt",
	},
	"fr": {
		"hello": "bonjour", "good": "bon", "morning": "matin", "day": "jour", "the": "le", "cat": "chat",
		"house": "maison", "a": "un", "is": "est", "red": "rouge", "and": "et", "world": "monde",
	},
	"es": {
		"hello": "hola", "good": "buen", "morning": "día", "day": "día", "the": "la", "cat": "gata",
		"house": "casa", "a": "una", "is": "es", "red": "roja", "and": "y", "world": "mundo",
	},
}

// translate replaces known words and puts the others in brackets: "Katze [jumps]". Languages are codes
// ("de", "deu_Latn") or names.
func translate(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	language := strings.ToLower(q.word("tgt_lang"))
	for code, names := range map[string]string{"de": "de deu ger german deutsch", "fr": "fr fra fre french français", "es": "es spa spanish español"} {
		if first, _, _ := strings.Cut(language, "_"); first != "" && slices.Contains(strings.Fields(names), first) {
			language = code
		}
	}
	known, ok := dictionary[language]
	if !ok {
		known = dictionary["de"]
	}
	fields := strings.Fields(text)
	for i, word := range fields {
		if bare := strings.Trim(word, ".,;:!?"); known[strings.ToLower(bare)] != "" {
			fields[i] = strings.Replace(word, bare, known[strings.ToLower(bare)], 1)
		} else {
			fields[i] = "[" + word + "]"
		}
	}
	return map[string]string{"translation_text": strings.Join(fields, " ")}, nil
}

// generateText answers the last line of a prompt with its longest words or its first sentence, up to
// max_new_tokens words.
func generateText(_ *world, q *request) (map[string]string, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	asked := strings.ToLower(text)
	var out string
	switch {
	case strings.Contains(asked, "title"):
		out = titled(telling(last, 6))
	case strings.Contains(asked, "tags"), strings.Contains(asked, "keyword"):
		out = strings.Join(telling(last, 6), ", ")
	case strings.HasSuffix(last, "?"):
		out = "It is " + strings.Join(telling(last, 3), " ") + "."
	default:
		out = append(sentences(last), last)[0]
	}
	fields := strings.Fields(out)
	out = strings.Join(fields[:min(len(fields), max(1, q.number("max_new_tokens", 200)))], " ")
	if full, ok := q.params["return_full_text"].(bool); ok && full {
		out = text + " " + out
	}
	return map[string]string{"generated_text": out}, nil
}

// telling returns the n longest words of a text, in their order.
func telling(text string, n int) []string {
	all := words(text)
	long := slices.Clone(all)
	slices.SortStableFunc(long, func(a, b string) int { return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a)) })
	long = long[:min(n, len(long))]
	var out []string
	for _, word := range all {
		if slices.Contains(long, word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

func titled(words []string) string {
	text := strings.Join(words, " ")
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// topics are the words that reveal a sentiment.
var topics = map[string][]string{
	"POSITIVE": {"good", "great", "love", "lovely", "happy", "wonderful", "excellent", "beautiful", "nice", "best", "thanks"},
	"NEGATIVE": {"bad", "terrible", "hate", "sad", "awful", "broken", "worst", "angry", "poor", "never", "disappointed"},
}

// classifyText returns the sentiment of a text, judged by its words.
func classifyText(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return top(q, shares([]string{"POSITIVE", "NEGATIVE"}, func(mood string) int {
		n := 1
		for _, word := range words(text) {
			if slices.Contains(topics[mood], word) {
				n += 4
			}
		}
		return n
	})), nil
}

// sortText ranks the candidate labels by the words that they share with the text.
func sortText(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return shares(q.list("candidate_labels"), func(name string) int { return 1 + 5*common(text, name) }), nil
}

// common returns how many words of b are in a.
func common(a, b string) int {
	n := 0
	for _, word := range words(b) {
		if slices.Contains(words(a), word) {
			n++
		}
	}
	return n
}

// token is a labelled token.
type token struct {
	Group string  `json:"entity_group,omitempty"`
	Label string  `json:"entity,omitempty"`
	Score float64 `json:"score"`
	Word  string  `json:"word"`
	Start int     `json:"start"`
	End   int     `json:"end"`
}

// places are the known names of places; other names are persons.
var places = []string{
	"Berlin", "Paris", "London", "Lisbon", "Portugal", "Tokyo", "Japan",
	"Madrid", "Rome", "Vienna", "Beijing", "Shanghai", "New York", "Germany", "France",
}

var capitalised = regexp.MustCompile(`\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*`)

// tagTokens finds names: capitalised words that do not start a sentence, and known places anywhere.
// Positions are in characters.
func tagTokens(_ *world, q *request) (any, error) {
	if _, err := q.needText(); err != nil {
		return nil, err
	}
	text := q.text() // positions refer to the untrimmed text
	single := q.word("aggregation_strategy") == "none"
	found := []token{}
	for _, at := range capitalised.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		kind := "PER"
		switch before := strings.TrimSpace(text[:at[0]]); {
		case slices.Contains(places, name):
			kind = "LOC"
		case strings.HasSuffix(name, " Inc") || strings.HasSuffix(name, " Ltd") || name == "Siemens":
			kind = "ORG"
		case !strings.Contains(name, " ") && (before == "" || strings.ContainsAny(before[len(before)-1:], ".!?")):
			continue
		}
		t := token{Group: kind, Score: 0.95, Word: name, Start: utf8.RuneCountInString(text[:at[0]]), End: utf8.RuneCountInString(text[:at[1]])}
		if single {
			t.Group, t.Label = "", "B-"+kind
		}
		found = append(found, t)
	}
	return found, nil
}

// span is an answer found in a text.
type span struct {
	Answer string  `json:"answer"`
	Score  float64 `json:"score"`
	Start  int     `json:"start"`
	End    int     `json:"end"`
}

// member returns a text of the inputs.
func (q *request) member(name string) string {
	in, _ := q.inputs.(map[string]any) //nolint:errcheck // the schema guarantees it
	text, _ := in[name].(string)       //nolint:errcheck // the schema guarantees it
	return text
}

// askDocument cannot read. It answers with the first word box that has a digit, or else describes the page.
func askDocument(_ *world, q *request) (any, error) {
	sc, err := q.sceneOf("image")
	if err != nil {
		return nil, err
	}
	answer := "a page with " + sc.account()
	boxes, _ := q.params["word_boxes"].([]any) //nolint:errcheck // absent is none
	for _, item := range boxes {
		if word, ok := item.(string); ok && strings.ContainsAny(word, "0123456789") {
			answer = word
			break
		}
	}
	return top(q, []span{{answer, 0.8, 0, 0}}), nil
}

// found is an answer about a table.
type found struct {
	Answer      string   `json:"answer"`
	Coordinates [][2]int `json:"coordinates"`
	Cells       []string `json:"cells"`
	Aggregator  string   `json:"aggregator"`
}

// askTable finds the row and the column that the question names, and counts or sums.
func askTable(_ *world, q *request) (any, error) {
	in, _ := q.inputs.(map[string]any)       //nolint:errcheck // the schema guarantees it
	table, _ := in["table"].(map[string]any) //nolint:errcheck // the schema guarantees it
	if len(table) == 0 {
		return nil, bad("the table is empty")
	}
	columns := sortedKeys(table) // JSON objects are unordered
	cells := map[string][]string{}
	rows := 0
	for _, c := range columns {
		cells[c] = (&request{params: table}).list(c)
		rows = max(rows, len(cells[c]))
	}
	for _, c := range columns {
		if len(cells[c]) != rows {
			return nil, bad("the column %s has %d cells, and another one %d", c, len(cells[c]), rows)
		}
	}
	question := q.member("question")
	// The question names the column by its header, and the row by a cell.
	column, most := len(columns)-1, 0
	for i, c := range columns {
		if n := common(question, c); n > most {
			column, most = i, n
		}
	}
	var wanted []int
	for r := range rows {
		if slices.ContainsFunc(columns, func(c string) bool {
			return common(question, cells[c][r]) > 0 && common(question, cells[c][r]) == len(words(cells[c][r]))
		}) {
			wanted = append(wanted, r)
		}
	}
	f := found{Aggregator: "NONE", Cells: []string{}, Coordinates: [][2]int{}}
	asked := strings.ToLower(question)
	switch {
	case strings.Contains(asked, "how many"):
		f.Aggregator = "COUNT"
	case strings.Contains(asked, "total"), strings.Contains(asked, "sum"), strings.Contains(asked, "altogether"):
		f.Aggregator = "SUM"
	case strings.Contains(asked, "average"), strings.Contains(asked, "mean"):
		f.Aggregator = "AVERAGE"
	}
	if len(wanted) == 0 {
		for r := range rows {
			if f.Aggregator != "NONE" || r == 0 {
				wanted = append(wanted, r)
			}
		}
	}
	for _, r := range wanted {
		cell := cells[columns[column]][r]
		f.Cells = append(f.Cells, cell)
		f.Coordinates = append(f.Coordinates, [2]int{r, column})
	}
	f.Answer = strings.Join(f.Cells, ", ")
	if f.Aggregator != "NONE" {
		f.Answer = f.Aggregator + " > " + f.Answer
	}
	return []found{f}, nil
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

// serveChat answers the last message of a conversation as text-generation would.
func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it is in memory
	}
	q := &request{task: "text-generation", call: Call{Task: "text-generation"}}
	err = s.reader.readChat(q, body)
	call := s.arrive(r, q.call)
	f, faulty := s.take(q.call.Model, q.task)
	if faulty && s.misbehave(w, r, f) {
		s.note(call, "fault: "+string(f.Kind))
		return
	}
	var m made
	if err == nil {
		m, err = s.converse(q)
	}
	if err != nil {
		s.refuse(w, call, err)
		return
	}
	if faulty {
		m = spoiled(m, f.Kind)
	}
	m.write(w)
}

// readChat converts a conversation to a text-generation request.
func (rd *reader) readChat(q *request, body []byte) error {
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return bad("the body is not a JSON object: %w", err)
	}
	q.call.Model, _ = members["model"].(string) //nolint:errcheck // absent is ""
	if err := rd.rules.refuse(chatTask, members); err != nil {
		return bad("%w", err)
	}
	if !slices.Contains(rd.models[q.task], q.call.Model) {
		return refusal{http.StatusNotFound, "The requested model '" + q.call.Model + "' does not exist"}
	}
	q.call.Parameters = map[string]any{}
	for name, value := range members {
		if name != "messages" && name != "model" {
			q.call.Parameters[name] = value
		}
	}
	messages, _ := members["messages"].([]any) //nolint:errcheck // the schema guarantees it
	if len(messages) == 0 {
		return bad("there is no message")
	}
	last, _ := messages[len(messages)-1].(map[string]any) //nolint:errcheck // the schema guarantees it
	q.call.Text = contentOf(last["content"])
	q.inputs = q.call.Text
	q.params = map[string]any{"max_new_tokens": members["max_tokens"]}
	return nil
}

// contentOf returns the text of a message, which may have several parts.
func contentOf(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var parts []string
		for _, one := range c {
			if part, ok := one.(map[string]any); ok {
				if text, ok := part["text"].(string); ok {
					parts = append(parts, text)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// converse makes the answer and validates it.
func (s *Server) converse(q *request) (made, error) {
	out, err := generateText(s.world, q)
	if err != nil {
		return made{}, err
	}
	text := out["generated_text"]
	usage := chatUsage{Prompt: len(words(q.text())), Completion: len(words(text))}
	usage.Total = usage.Prompt + usage.Completion
	return s.checked(chatTask, chat{
		ID: "chat-1", Created: 1_790_000_000, Model: q.call.Model, System: "hftasktest", Usage: usage,
		Choices: []choice{{Finish: "stop", Message: message{Role: "assistant", Content: text}}},
	})
}
