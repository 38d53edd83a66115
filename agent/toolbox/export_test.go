package toolbox

import "errors"

// ReadTool reads one catalogue entry; the error tells everything that is wrong with it.
func ReadTool(b []byte) (Tool, error) {
	t, faults := readTool(b)
	return t, errors.Join(faults...)
}
