package hftask

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// visionTasks returns the tasks that describe pictures, videos and sounds in words.
func visionTasks() map[string]task {
	return map[string]task{
		"image-to-text":                {media: true, ask: askPrompted, read: readText},
		"image-classification":         {media: true, ask: askPicture, read: readClasses},
		"visual-question-answering":    {media: true, ask: askAbout, read: readReply},
		"document-question-answering":  {media: true, ask: askAbout, read: readReply},
		"keypoint-detection":           {media: true, ask: askPicture, read: readPose},
		"video-text-to-text":           {media: true, ask: askVideo, read: readText},
		"video-classification":         {media: true, ask: askVideo, read: readClasses},
		"audio-classification":         {media: true, ask: askSound, read: readClasses},
		"automatic-speech-recognition": {media: true, ask: askSound, read: readTranscript},
	}
}

// askPrompted sends the picture with the catalogue's prompt, if there is one. The hub's models take no prompt.
func askPrompted(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	return j.prompted(q), err
}

// askVideo sends the video with the catalogue's prompt, if there is one.
func askVideo(ctx context.Context, j *job) (question, error) {
	f, err := j.recording(ctx, plan.Video)
	return j.prompted(question{inputs: f}), err
}

// askSound sends the sound.
func askSound(ctx context.Context, j *job) (question, error) {
	f, err := j.recording(ctx, plan.Audio)
	return question{inputs: f}, err
}

// prompted adds the catalogue's prompt, which is our extension to the API.
func (j *job) prompted(q question) question {
	if prompt := strings.TrimSpace(toolbox.Expand(j.candidate.Prompt, j.call.Text)); prompt != "" && !j.hub() {
		q.parameters = map[string]any{"prompt": prompt}
	}
	return q
}

// askAbout asks a question about a picture.
func askAbout(ctx context.Context, j *job) (question, error) {
	asked := cmp.Or(clean(j.call.Text("question")), j.text())
	if asked == "" {
		return question{}, fault(nil, "The question is missing.")
	}
	f, err := j.picture(ctx)
	return question{inputs: map[string]any{"image": f, "question": asked}}, err
}

// readReply reads the answer with the highest score.
func readReply(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	type reply struct {
		Answer *string `json:"answer"`
		Score  float64 `json:"score"`
	}
	replies, err := entries[reply](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if slices.ContainsFunc(replies, func(r reply) bool { return r.Answer == nil }) {
		return toolbox.Output{}, unreadable(errors.New("a reply has no answer"))
	}
	if len(replies) == 0 {
		return toolbox.Output{}, errNothing
	}
	best := slices.MaxFunc(replies, func(a, b reply) int { return cmp.Compare(a.Score, b.Score) })
	return textOutput(*best.Answer, plan.Text)
}

// readTranscript reads the transcript of a recording.
func readTranscript(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	type heard struct {
		Text *string `json:"text"`
	}
	all, err := entries[heard](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(all) != 1 || all[0].Text == nil {
		return toolbox.Output{}, unreadable(errors.New("the answer has no text"))
	}
	if strings.TrimSpace(*all[0].Text) == "" {
		return toolbox.Output{}, fault(nil, "I heard no speech in the recording.")
	}
	return textOutput(*all[0].Text, plan.Text)
}

const (
	// maxRows and maxColumns are the limits of a table: models cannot read larger ones.
	maxRows    = 1000
	maxColumns = 100
)

// askTable asks a question about a table.
func askTable(_ context.Context, j *job) (question, error) {
	asked := clean(j.call.Text("question"))
	if asked == "" {
		return question{}, fault(nil, "The question is missing.")
	}
	rows, err := tableOf(cmp.Or(clean(j.call.Text("table")), j.text()))
	if err != nil {
		return question{}, err
	}
	return question{inputs: map[string]any{"table": columns(rows), "question": asked}}, nil
}

// tableOf parses a table that is tab-separated, in Markdown, or separated by semicolons or commas. Its first
// line names the columns.
func tableOf(text string) ([][]string, error) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	first := lines[0]
	var rows [][]string
	switch {
	case strings.Contains(first, "|"):
		rows = markdown(lines)
	default:
		var err error
		if rows, err = separated(strings.Join(lines, "\n"), separator(first)); err != nil {
			return nil, err
		}
	}
	switch {
	case len(rows) < 2:
		return nil, fault(errors.New("the table has one line"),
			"The table has no rows: it should start with a line of column names, with the rows below it.")
	case len(rows) > maxRows+1 || len(rows[0]) > maxColumns:
		return nil, fault(errors.New("the table is too large"),
			"The table is too large for questions: the limit is %d rows and %d columns.", maxRows, maxColumns)
	}
	return rows, nil
}

// separator returns the tab, semicolon or comma that is most frequent in the header line.
func separator(first string) rune {
	best := ','
	for _, s := range []rune{'\t', ';'} {
		if strings.Count(first, string(s)) > strings.Count(first, string(best)) {
			best = s
		}
	}
	return best
}

func separated(text string, by rune) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = by, -1, true, by != '\t'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fault(errors.New("the table is not valid CSV"), "The table cannot be read: it should have one row per line, with commas between the cells.")
	}
	return rows, nil
}

// markdown returns the rows of a Markdown table, without the line below the header.
func markdown(lines []string) [][]string {
	var rows [][]string
	for _, l := range lines {
		l = strings.Trim(strings.TrimSpace(l), "|")
		if strings.Trim(l, "|-: ") == "" {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(l, "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// columns returns the cells by column name. Duplicate names get a number, and short rows are padded with "".
func columns(rows [][]string) map[string][]string {
	table := map[string][]string{}
	for i, name := range rows[0] {
		name = cmp.Or(toolbox.OneLine(name), "column "+strconv.Itoa(i+1))
		unique := name
		for n := 2; table[unique] != nil; n++ {
			unique = name + " " + strconv.Itoa(n)
		}
		cells := make([]string, 0, len(rows)-1)
		for _, row := range rows[1:] {
			cell := ""
			if i < len(row) {
				cell = strings.TrimSpace(row[i])
			}
			cells = append(cells, cell)
		}
		table[unique] = cells
	}
	return table
}

// readCells reads an answer about a table: the cells, or their count, sum or average if the model asks for
// it (TAPAS).
func readCells(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	type reply struct {
		Answer     *string  `json:"answer"`
		Cells      []string `json:"cells"`
		Aggregator string   `json:"aggregator"`
	}
	replies, err := entries[reply](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(replies) == 0 {
		return toolbox.Output{}, errNothing
	}
	r := replies[0]
	if r.Answer == nil {
		return toolbox.Output{}, unreadable(errors.New("a reply has no answer"))
	}
	text := *r.Answer
	if by := strings.ToUpper(r.Aggregator); by != "" {
		text = strings.TrimSpace(strings.TrimPrefix(text, r.Aggregator+" >"))
		if n, ok := aggregate(by, r.Cells); ok {
			text = strconv.FormatFloat(n, 'f', -1, 64) + " (" + strings.Join(r.Cells, ", ") + ")"
		}
	}
	return textOutput(text, plan.Text)
}

// aggregate returns the count, sum or average of the cells. It reports false if one of them is not a
// number.
func aggregate(by string, cells []string) (float64, bool) {
	if by == "COUNT" {
		return float64(len(cells)), true
	}
	if by != "SUM" && by != "AVERAGE" || len(cells) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, c := range cells {
		n, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(c, ",", ""), " $€£%"), 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return 0, false
		}
		sum += n
	}
	if by == "AVERAGE" {
		sum /= float64(len(cells))
	}
	return math.Round(sum*1e6) / 1e6, true
}
