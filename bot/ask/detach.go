package ask

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"atelier/adapters"
	"atelier/adapters/terminal"
	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/conversation"
	"atelier/bot/fault"
	"atelier/bot/operate"
	"atelier/bot/output"
	"atelier/bot/place"
	"atelier/bot/workshop"
	"atelier/jobs"
	"atelier/storage"
)

// detach submits the request to the serving processes, with its files in the shared Blobs, and prints
// the request's id.
func (a *Command) detach(ctx context.Context, c *command.Call, shop workshop.Workshop, wish string) error {
	if err := conversation.CheckName(a.Thread); err != nil {
		return err
	}
	// A request without --thread gets a new conversation.
	thread := cmp.Or(a.Thread, rand.Text())
	return operate.With(ctx, c, func(o control.Jobs) error {
		if _, err := o.Workers(ctx); err != nil { // before files are stored
			return err
		}
		files, err := handOver(ctx, shop, thread, a.files())
		if err != nil {
			return err
		}
		if a.Voice != nil {
			files[len(files)-1].Voice = true
		}
		id, err := o.Submit(ctx, terminal.Handed(thread, wish, files), jobs.Options{})
		if err != nil {
			return err
		}
		if a.JSON {
			return output.JSON(c.Stdout, struct {
				ID string `json:"id"`
			}{id})
		}
		return output.Say(c.Stdout, "The request %s was accepted. To see it: bot show %s\n", id, id)
	})
}

// handOver stores files in the Blobs, in the folder of their thread, so that they are deleted with it.
func handOver(ctx context.Context, w workshop.Workshop, thread string, names []string) (files []adapters.File, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	blobs, done, err := place.OpenBlobs(ctx, w.Config, place.Placement{Folder: w.Data, Shared: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	folder := path.Join(jobs.ThreadFolder(jobs.ThreadID(terminal.Thread(thread))), terminal.HandedFolder, rand.Text())
	for i, name := range names {
		f := adapters.File{ID: strconv.Itoa(i + 1), Name: filepath.Base(name), Handle: path.Join(folder, strconv.Itoa(i+1))}
		if f.Size, err = handOne(ctx, blobs, f.Handle, name, w.Limits().Bytes); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func handOne(ctx context.Context, blobs storage.Blobs, key, name string, most int64) (size int64, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The file %q cannot be read: %s.", filepath.Base(name), fault.Reason(err))), Err: err}
	case !info.Mode().IsRegular():
		return 0, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("%q is not a file.", filepath.Base(name)))}
	case info.Size() > most:
		return 0, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The file %q is too large: the limit is %d MB.", filepath.Base(name), most/1_000_000))}
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, &plan.Fault{Sentence: plan.Quote(fmt.Sprintf("The file %q cannot be read: %s.", filepath.Base(name), fault.Reason(err))), Err: err}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return info.Size(), blobs.Put(ctx, key, f)
}
