package command

import (
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
	"atelier/agent/toolbox/program/machine"
)

// Needs returns the programs that a command runs, and those that measure its files.
func Needs(b toolbox.Backing) []machine.Need {
	var all []machine.Need
	for _, name := range b.Recipe.Programs() {
		n := machine.Need{Program: name}
		switch {
		case name == b.Recipe.Argv.Program() && b.Debian != "":
			n.Debian = b.Debian
		case name == "ffmpeg" || name == "gnuplot" || name == "python3" || name == "qpdf" || name == "qrencode":
			n.Debian = name
		case magick.IsCommand(name):
			n.Debian = "imagemagick"
		}
		all = append(all, n)
		switch name {
		case "ffmpeg":
			all = append(all, machine.FFmpegNeeds()[1])
		case "qpdf", "pdftoppm", "pdftotext":
			all = append(all, machine.Need{Program: "pdfinfo", Debian: "poppler-utils"})
		}
	}
	return all
}
