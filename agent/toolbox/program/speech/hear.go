package speech

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/machine"
	"atelier/agent/toolbox/sandbox"
)

const (
	// maxHeard is the maximum length transcribed, since transcription takes up to real time.
	maxHeard = 5 * time.Minute
	hearTime = 10 * time.Minute
)

// hear transcribes English speech with pocketsphinx.
func (s Speech) hear(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.Given(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	nothing := r.Fault(nil, plan.Say("has no speech that I could understand."))
	was, err := s.Measure(ctx, c, r, "anull", ffmpeg.SamplePeaks)
	if err != nil {
		return toolbox.Output{}, err
	}
	if was.Silent() {
		return toolbox.Output{}, nothing
	}
	samples, err := s.Decode(ctx, c, r, 16_000, maxHeard)
	if err != nil {
		return toolbox.Output{}, err
	}
	command, err := listening(samples, filepath.Join(c.Dir, "heard.log"))
	if err != nil {
		return toolbox.Output{}, err
	}
	command.Dir = c.Dir
	said, err := s.Run(ctx, command)
	if err != nil {
		return toolbox.Output{}, err
	}
	text := heard(said)
	if text == "" {
		return toolbox.Output{}, nothing
	}
	out := toolbox.Output{Value: text, About: plan.Quote(toolbox.Shorten(text)), Note: plan.Say(
		"It was transcribed by a simple program that knows only English, so expect wrong words.")}
	if r.Look.Duration > maxHeard+time.Second {
		out.Note = plan.Sentences(plan.Say("Only the first %s were transcribed.", plan.Span(maxHeard)), out.Note)
	}
	return out, nil
}

// The program's names: since version 5, and before.
const newSphinx, oldSphinx = "pocketsphinx", "pocketsphinx_continuous"

// recogniser returns the path of pocketsphinx.
func recogniser(debian string) (string, error) {
	for _, name := range []string{newSphinx, oldSphinx} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", machine.Missing(plan.Say("the program %s", newSphinx), debian, exec.ErrNotFound)
}

// models are the folders that may contain the English model.
var models = []string{"/usr/share/pocketsphinx/model/en-us", "/usr/local/share/pocketsphinx/model/en-us"}

// heardModel returns the folder of the English model.
func heardModel(debian string) (string, error) {
	for _, folder := range models {
		whole := true
		for _, part := range []string{"en-us/mdef", "en-us.lm.bin", "cmudict-en-us.dict"} {
			if _, err := os.Stat(filepath.Join(folder, part)); err != nil {
				whole = false
			}
		}
		if whole {
			return folder, nil
		}
	}
	return "", machine.Missing(plan.Say("pocketsphinx's English model"), debian, errors.New("no model for en-us"))
}

// listening returns the command that transcribes a sound of 16 kHz.
func listening(samples, log string) (sandbox.Command, error) {
	program, err := recogniser("pocketsphinx")
	if err != nil {
		return sandbox.Command{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	model, err := heardModel("pocketsphinx-en-us")
	if err != nil {
		return sandbox.Command{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	args := []string{
		"-hmm", filepath.Join(model, "en-us"), "-lm", filepath.Join(model, "en-us.lm.bin"),
		"-dict", filepath.Join(model, "cmudict-en-us.dict"), "-logfn", log,
	}
	if filepath.Base(program) == newSphinx {
		args = append(args, "live", samples) // one result per passage of speech
	} else {
		args = append(args, "-infile", samples)
	}
	return sandbox.Command{Program: program, Args: args, Read: []string{model}, Timeout: hearTime}, nil
}

// heard parses pocketsphinx's output, one line per passage: JSON since version 5
// (pocketsphinx(1), "t" is the text), plain text before.
func heard(said []byte) string {
	var lines []string
	all := bufio.NewScanner(bytes.NewReader(said))
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		line := strings.TrimSpace(all.Text())
		if strings.HasPrefix(line, "{") {
			var passage struct {
				Text string `json:"t"`
			}
			if json.Unmarshal([]byte(line), &passage) != nil {
				continue
			}
			line = passage.Text
		}
		if line = words(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// words removes the marks of silence and noise (<s>, <sil>, [NOISE], ++COUGH++) and the numbers
// of pronunciations: "the(2)".
func words(line string) string {
	var kept []string
	for w := range strings.FieldsSeq(line) {
		if strings.ContainsAny(w[:1], "<[+") {
			continue
		}
		w, _, _ = strings.Cut(w, "(")
		kept = append(kept, w)
	}
	return strings.Join(kept, " ")
}
