package workshop

import (
	"atelier/agent/toolbox"
)

// ReadBuiltin reads the tools that come with the program.
func ReadBuiltin() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) }
