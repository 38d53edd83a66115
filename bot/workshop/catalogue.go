package workshop

import (
	"atelier/agent/toolbox"
)

// ReadBuiltin reads the built-in tools.
func ReadBuiltin() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) }
