package program

import (
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/magick"
)

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
