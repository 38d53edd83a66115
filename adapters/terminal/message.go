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

// Passing is the name of the conversation of a single call. Stored conversations cannot have it, since their names
// contain no dot.
const Passing = "."

// Person is the id of every person: different people need different data folders.
const Person = "user"

// Thread returns the conversation with a name.
func Thread(name string) adapters.Thread {
	return adapters.Thread{Adapter: Name, Channel: name, Direct: true}
}

// Message returns a request as an event, with the paths of its files. Each call returns a different event.
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

// Spoken returns a request that is spoken in the last of its files.
func Spoken(thread string, paths []string) adapters.Event {
	e := Message(thread, "", paths)
	e.Message.Files[len(paths)-1].Voice = true
	return e
}

// HandedFolder is the folder in a thread's folder in which files are stored for another process.
const HandedFolder = "handed"

// Handed returns a request whose files are stored for the process that will work on it: their handles are for its
// [Config.Open].
func Handed(thread, wish string, files []adapters.File) adapters.Event {
	e := Message(thread, wish, nil)
	e.Message.Files = files
	for i := range files {
		files[i].Name = nameOf(files[i].Name)
	}
	return e
}

// handed reports whether a handle names a file that was stored for another process, and nothing else in that storage.
func handed(handle string) bool {
	parts := strings.Split(handle, "/")
	return len(parts) == 5 && parts[0] == "threads" && parts[2] == HandedFolder
}

// handle returns a path as a handle, which is valid text for any bytes in the path.
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

// unfit returns the permanent fault of a file.
func unfit(path, format string, err error) error {
	return &adapters.Fault{Sentence: format, Args: []any{nameOf(path)}, Kind: adapters.ErrGone, Err: err}
}
