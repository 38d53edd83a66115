// Package magick gives ImageMagick a policy of our own, wherever it runs: it reads and writes pictures of the
// usual formats alone, starts no other program, opens no address and no file that a text names (@file), and
// its pictures and its memory are bounded.
package magick

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
)

//go:embed policy.xml
var policy []byte

// Programs are those of ImageMagick 6 and 7.
func Programs() []string {
	return []string{"compare", "composite", "convert", "identify", "magick", "mogrify", "montage"}
}

// Is reports whether the program is one of ImageMagick's, by its name or as Debian 12 calls it: "convert-im6.q16".
func Is(program string) bool {
	name, _, _ := strings.Cut(filepath.Base(program), "-im")
	return slices.Contains(Programs(), name)
}

// policyFile is the name by which ImageMagick knows a policy.
const policyFile = "policy.xml"

// Lay writes the policy into a folder that the program sees. It gives the variable that the program needs.
func Lay(dir string) (env string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", fmt.Errorf("find the folder of a policy: %w", err)
	}
	file := filepath.Join(dir, policyFile)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // of a run before, which may not be overwritten
		return "", fmt.Errorf("lay out the policy of ImageMagick: %w", err)
	}
	return "MAGICK_CONFIGURE_PATH=" + dir, os.WriteFile(file, policy, 0o400)
}

// Refused says what the policy kept the program from, by what it wrote to its standard error; zero if it did not.
func Refused(said string) plan.Message {
	switch {
	case strings.Contains(said, "exceeds limit"), strings.Contains(said, "cache resources exhausted"):
		return plan.Say("That would be too large a picture for ImageMagick here; ask for a smaller size.")
	case strings.Contains(said, "not allowed by the security policy"), strings.Contains(said, "no decode delegate"):
		return plan.Say("ImageMagick is not allowed to read or write that here; it accepts only the usual picture formats.")
	}
	return plan.Message{}
}
