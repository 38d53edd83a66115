package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
)

// defaultOut is the folder that --out names where it is not given.
const defaultOut = "out"

// checkOut notices a folder of the person's own choice that cannot be written into,
// before anything is done or paid.
func (a *askCommand) checkOut() error {
	if a.Plan || a.Out == defaultOut {
		return nil
	}
	if err := tryWriting(a.Out); err != nil {
		return usage("%s", a.unwritable(err))
	}
	return nil
}

// checkOutFor notices it before the steps run, if they make files: who wants none need
// not have a folder for them.
func (a *askCommand) checkOutFor(p *plan.Plan, choice plan.Choice) error {
	steps, _, err := p.Steps(choice)
	if err != nil {
		return fmt.Errorf("lay out the solution: %w", err)
	}
	if !slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Action.Returns.Media() }) {
		return nil
	}
	if err := tryWriting(a.Out); err != nil {
		return &plan.Fault{Sentence: plan.Quote(a.unwritable(err)), Err: err}
	}
	return nil
}

func (a *askCommand) unwritable(err error) string {
	return fmt.Sprintf("--out is %q, and no file can be written there: %s.", a.Out, reason(err))
}

// tryWriting tries a file in the folder, or in the one in which it would be made, and
// leaves nothing behind.
func tryWriting(folder string) error {
	folder = filepath.Clean(folder)
	for {
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			return errors.New("it is not a folder")
		}
		if !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return tryFile(folder)
}

func tryFile(folder string) error {
	f, err := os.CreateTemp(folder, ".part-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// blobs is the part of the storage that export needs.
type blobs interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
}

// export writes the media that were made into the folder, under their names.
func (a *answer) export(ctx context.Context, from blobs, made []plan.Resource, folder string) error {
	for _, r := range made {
		if r.Blob == "" {
			continue
		}
		path := filepath.Join(folder, filepath.Base(r.Name))
		if err := exportOne(ctx, from, r.Blob, path); err != nil {
			told := fmt.Sprintf("The file %s could not be written into the folder %q: %s.", r.Name, folder, reason(err))
			return &plan.Fault{Sentence: plan.Quote(told), Err: err}
		}
		a.Files = append(a.Files, fileLine{Name: r.Name, Type: string(r.Type), Path: path})
	}
	return nil
}

func exportOne(ctx context.Context, from blobs, key, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the umask says who may see a person's own results
		return err
	}
	blob, err := from.Get(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blob.Close()) }()
	return writeFile(path, blob)
}
