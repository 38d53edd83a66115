package terminal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/adapters"
)

// Passing is the name of a conversation of one call. None that is kept has it, since the
// names of those hold no dot.
const Passing = "."

// Person is everybody's id: who is to be told apart has a data folder of their own.
const Person = "user"

// Thread returns the conversation of that name.
func Thread(name string) adapters.Thread {
	return adapters.Thread{Adapter: Name, Channel: name, Direct: true}
}

// Message returns a wish, with the files of the command line by their paths. Each call is
// another event.
func Message(thread, wish string, paths []string) adapters.Event {
	now := time.Now()
	m := &adapters.Message{Ref: newRef(thread), Order: now.UnixNano(), For: adapters.Direct, Text: wish}
	for i, path := range paths {
		m.Files = append(m.Files, adapters.File{ID: strconv.Itoa(i + 1), Name: nameOf(path), Handle: handle(path)})
	}
	return adapters.Event{
		Kind: adapters.MessageSent, ID: m.Ref.ID, Adapter: Name, Thread: Thread(thread),
		By: adapters.Person{ID: Person}, At: now, Message: m,
	}
}

// Spoken returns a wish that is not written: it is said in the last of the files.
func Spoken(thread string, paths []string) adapters.Event {
	e := Message(thread, "", paths)
	e.Message.Files[len(paths)-1].Voice = true
	return e
}

// HandedFolder is the folder, within that of a thread, in which files are put for another
// process.
const HandedFolder = "handed"

// Handed returns a wish whose files were put where the process that is handed it finds them: the
// handles are what its [Config.Open] takes.
func Handed(thread, wish string, files []adapters.File) adapters.Event {
	e := Message(thread, wish, nil)
	e.Message.Files = files
	for i := range files {
		files[i].Name = nameOf(files[i].Name)
	}
	return e
}

// handed tells whether a handle names a file that was handed over, and nothing else that is
// kept there.
func handed(handle string) bool {
	parts := strings.Split(handle, "/")
	return len(parts) == 5 && parts[0] == "threads" && parts[2] == HandedFolder
}

// handle returns a path as a handle, which is text whatever bytes a path has.
func handle(path string) string { return strconv.QuoteToASCII(path) }

// nameOf returns the base name of a path with underscores for characters that events do not allow.
func nameOf(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(filepath.Base(path), "_"))
}

// open opens a regular file. Reading anything else, such as a pipe without a writer, could block
// forever.
func open(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, unfit(path, "%q is not a file.", nil)
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &adapters.Fault{
			Sentence: "There is no file called %q; check its name and folder.", Args: []any{nameOf(path)},
			Kind: adapters.ErrGone, Err: err,
		}
	case errors.Is(err, fs.ErrPermission):
		return nil, unfit(path, "You are not allowed to read %q.", err)
	case err != nil:
		return nil, unfit(path, "%q cannot be opened.", err)
	}
	return f, nil
}

// unfit tells what is the matter with a file. Trying again does not help who waits.
func unfit(path, format string, err error) error {
	return &adapters.Fault{Sentence: format, Args: []any{nameOf(path)}, Kind: adapters.ErrGone, Err: err}
}
