package program

import (
	"context"
	"fmt"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
)

// Commands is the backend of the kind command: it runs the command lines of tool files. It is safe for
// concurrent use.
//
// ffmpeg gets the inputs as they are; other programs get pictures as PNG. Video and sound get the
// default codecs of their format unless the command line names one. The endings "sound" and "picture"
// stand for the format of the input.
type Commands struct{ machine }

var _ toolbox.Backend = Commands{}

// Commands returns the backend of the kind command, with the same sandbox and limits.
func (b *Backend) Commands() Commands { return Commands{b.machine} }

// Probe reports whether the programs are installed.
func (m Commands) Probe(_ context.Context, c toolbox.Candidate) error {
	if c.Recipe == nil {
		return unknown(c.Run)
	}
	return m.find(needsOf(c.Backing))
}

// needsOf returns the programs that a command runs, and those that measure its files.
func needsOf(b toolbox.Backing) []need {
	var all []need
	for _, name := range b.Recipe.Programs() {
		n := need{program: name}
		switch {
		case name == b.Recipe.Argv.Program() && b.Debian != "":
			n.debian = b.Debian
		case name == "ffmpeg" || name == "gnuplot" || name == "python3" || name == "qpdf" || name == "qrencode":
			n.debian = name
		case magick.IsCommand(name):
			n.debian = "imagemagick"
		}
		all = append(all, n)
		switch name {
		case "ffmpeg":
			all = append(all, ffmpegs()[1])
		case "qpdf", "pdftoppm", "pdftotext":
			all = append(all, need{program: "pdfinfo", debian: "poppler-utils"})
		}
	}
	return all
}

// Run runs the command line.
func (m Commands) Run(ctx context.Context, c toolbox.Candidate, call toolbox.Call) (toolbox.Output, error) {
	if err := m.Probe(ctx, c); err != nil { // a missing program is not the input's fault
		return toolbox.Output{}, fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	printed, err := m.printed(ctx, call)
	if err != nil {
		return tidied(call, toolbox.Output{}, err)
	}
	out, err := m.newRun(ctx, printed).recipe(c.Recipe)
	return tidied(call, out, err)
}
