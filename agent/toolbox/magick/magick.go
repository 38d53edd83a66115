// Package magick restricts ImageMagick with a policy of our own: it reads and writes only the usual picture
// formats, starts no other program, opens no URL and no file that a text names (@file), and limits pictures and
// memory.
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

// Programs returns the names of ImageMagick's programs, versions 6 and 7.
func Programs() []string {
	return []string{"compare", "composite", "convert", "identify", "magick", "mogrify", "montage"}
}

// IsCommand reports whether the program is one of ImageMagick's, including under Debian 12's names, such
// as "convert-im6.q16".
func IsCommand(program string) bool {
	name, _, _ := strings.Cut(filepath.Base(program), "-im")
	return slices.Contains(Programs(), name)
}

// policyFile is the file name that ImageMagick expects.
const policyFile = "policy.xml"

// WritePolicy writes the policy into a folder that the program can read. It returns the environment variable that
// makes the program use it.
func WritePolicy(dir string) (env string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", fmt.Errorf("find the policy folder: %w", err)
	}
	file := filepath.Join(dir, policyFile)
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) { // an earlier file is read-only
		return "", fmt.Errorf("write ImageMagick's policy: %w", err)
	}
	return "MAGICK_CONFIGURE_PATH=" + dir, os.WriteFile(file, policy, 0o400)
}

// ExplainRefusal explains which rule of the policy stopped the program, going by its standard error; the zero
// message means none.
func ExplainRefusal(said string) plan.Message {
	switch {
	case strings.Contains(said, "exceeds limit"), strings.Contains(said, "cache resources exhausted"):
		return plan.Say("That would be too large a picture for ImageMagick here; ask for a smaller size.")
	case strings.Contains(said, "not allowed by the security policy"), strings.Contains(said, "no decode delegate"):
		return plan.Say("ImageMagick is not allowed to read or write that here; it accepts only the usual picture formats.")
	}
	return plan.Message{}
}
