package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

type doctorCommand struct {
	JSON bool `help:"Print JSON: [{state, thing, says}]."`
}

// Help says what the states mean.
func (*doctorCommand) Help() string {
	return `Each line is ok; missing, which is no fault: more could be done with it; warning, which
will be a fault some day; or wrong.
No secret is printed, and nothing is written but what is taken back at once.

Exit status: 0 nothing is wrong, 1 something is.`
}

// health is how a thing stands.
type health string

const (
	healthy health = "ok"
	// missing is no fault: the program does less, or with less safety.
	missing health = "missing"
	// warning is no fault yet.
	warning health = "warning"
	wrong   health = "wrong"
)

// finding is what was found out about a thing.
type finding struct {
	State health `json:"state"`
	Thing string `json:"thing"`
	// Says is a sentence or two for who runs the program, with what to do.
	Says string `json:"says"`
}

// Run looks at everything that the program relies on.
func (d *doctorCommand) Run(ctx context.Context, c *call) error {
	found, err := examine(ctx, c)
	if err != nil {
		return err
	}
	if d.JSON {
		err = printJSON(c.Stdout, found)
	} else {
		err = printLines(c.Stdout, diagnosis(found))
	}
	if err == nil && slices.ContainsFunc(found, func(f finding) bool { return f.State == wrong }) {
		return ended(statusFailed)
	}
	return err
}

// diagnosis is what was found, for people.
func diagnosis(found []finding) []string {
	rows := make([][]string, len(found))
	for i, f := range found {
		rows[i] = []string{string(f.State), f.Thing, plain(f.Says)}
	}
	return align(rows)
}

// examination looks at what the settings name.
type examination struct {
	Workshop

	running running
}

// examine looks at everything. It fails only where it was stopped.
func examine(ctx context.Context, c *call) ([]finding, error) {
	shop, err := c.workshopWithModel(ctx, nil)
	if refused, ok := errors.AsType[*usageError](err); ok {
		var found []finding
		for line := range strings.SplitSeq(refused.sentence, wrongSettingsApart) {
			found = append(found, finding{wrong, "settings", line})
		}
		return append(found, finding{missing, "the rest", "It is looked at once the settings are right."}), nil
	}
	if err != nil {
		return nil, err
	}
	x := examination{shop, examineRunning(ctx, shop.Data)}
	found := []finding{examineSettings(c.Env)}
	for _, look := range []func(context.Context) []finding{
		x.examineFolders, x.examineRedis, x.examineFiles, x.examineModels, x.examineTools, x.examineAddress, x.examineWeb, x.examineChats,
	} {
		found = append(found, look(ctx)...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// wrongSettingsApart stands between the sentences about wrong settings.
const wrongSettingsApart = "\n     "

// examineSettings names what is set. Names are no secrets.
func examineSettings(environ []string) finding {
	values, err := readEnvFile(".env")
	if err != nil { // it was read a moment ago
		return finding{wrong, "settings", "The file .env cannot be read any more."}
	}
	values = maps.Clone(values)
	for _, variable := range environ {
		if name, value, ok := strings.Cut(variable, "="); ok {
			values[name] = value
		}
	}
	var set []string
	for _, s := range settings() {
		if values[s.name] != "" {
			set = append(set, s.name)
		}
	}
	if len(set) == 0 {
		return finding{healthy, "settings", "None is set, and none must be. To see them all: bot env"}
	}
	return finding{healthy, "settings", "What is set is understood: " + strings.Join(set, ", ") + "."}
}

// failed is a finding about what an error tells. One without a sentence has none of the
// words of a server repeated.
func failed(thing string, err error, otherwise string) finding {
	return finding{wrong, thing, told(err, otherwise)}
}
