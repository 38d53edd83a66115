package bottest

import (
	"sync"

	"atelier/agent/toolbox"
)

// Builtin gives the tools that come with the program, read once for all tests.
var Builtin = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })
