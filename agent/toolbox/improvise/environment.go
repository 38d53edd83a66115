package improvise

import (
	"bytes"
	"context"
	_ "embed" // the packages of the environment
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"atelier/agent/toolbox/sandbox"
)

// requirements lists the packages that programs may import, with versions and checksums. It is
// generated from requirements.in:
//
//	uv pip compile --universal --generate-hashes --python-version 3.11 --only-binary :all: \
//	    --no-header --no-annotate requirements.in -o requirements.txt
//
//go:embed requirements.txt
var requirements []byte

const (
	// imageEnvironment is the environment's folder in the container image.
	imageEnvironment = "/opt/atelier/python"
	// systemPython is Debian's Python; its modules are Debian packages.
	systemPython = "/usr/bin/python3"
	// lockFile is written into an environment once it is complete.
	lockFile = "requirements.txt"
)

// interpreter is a Python interpreter.
type interpreter struct {
	program     string
	environment string // the folder of its virtual environment, if it has one
}

// command is a sandbox command that runs the interpreter.
func (p interpreter) command(args ...string) sandbox.Command {
	c := sandbox.Command{Program: p.program, Args: args}
	if p.environment != "" {
		c.Read = []string{p.environment}
	}
	return c
}

// interpreter returns the Python of the first complete environment, or else Debian's.
func (b *Backend) interpreter() interpreter {
	for _, dir := range []string{b.config.Environment, imageEnvironment} {
		if dir == "" {
			continue
		}
		if lock, err := os.ReadFile(filepath.Join(dir, lockFile)); err == nil && bytes.Equal(lock, requirements) {
			return interpreter{filepath.Join(dir, "bin", "python3"), dir}
		}
	}
	return interpreter{program: systemPython}
}

// Setup creates a Python environment with the locked packages in dir, replacing an existing one. It
// needs Python's venv module and a package index. Their output goes to log.
func Setup(ctx context.Context, dir string, log io.Writer) error {
	run := func(program string, args ...string) error {
		c := exec.CommandContext(ctx, program, args...) //nolint:gosec // of this file and the operator
		c.Stdout, c.Stderr = log, log
		return c.Run()
	}
	if err := run(systemPython, "-m", "venv", "--clear", dir); err != nil {
		return fmt.Errorf("make a virtual environment: %w", err)
	}
	lock := filepath.Join(dir, lockFile)
	if err := os.WriteFile(lock+".new", requirements, 0o644); err != nil { //nolint:gosec // programs run as another user
		return fmt.Errorf("write the list of packages: %w", err)
	}
	if err := run(filepath.Join(dir, "bin", "python3"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--no-cache-dir", "--require-hashes", "--only-binary", ":all:", "--requirement", lock+".new"); err != nil {
		return fmt.Errorf("install the packages: %w", err)
	}
	if err := os.Rename(lock+".new", lock); err != nil {
		return fmt.Errorf("activate the environment: %w", err)
	}
	return nil
}
