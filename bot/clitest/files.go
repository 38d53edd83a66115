package clitest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"atelier/bot/bottest"
)

// CopyFile copies a file.
func CopyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600) //nolint:gosec // into the test's own folder
}

// Names are those of all files below a folder.
func Names(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	bottest.Check(t, filepath.WalkDir(folder, func(at string, _ fs.DirEntry, err error) error {
		all = append(all, at)
		return err
	}))
	return all
}
