package deployments

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is an instruction of a Dockerfile, with its continued lines joined.
type instruction struct{ word, rest string }

// instructions returns the Dockerfile's instructions, without comments.
func instructions(t *testing.T) []instruction {
	t.Helper()
	file := regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(text(t, "Dockerfile"), "")
	file = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(file, "")
	var all []instruction
	for line := range strings.Lines(file) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all = append(all, instruction{word, strings.TrimSpace(rest)})
		}
	}
	return all
}

// last returns the arguments of the last instruction of that name in the last stage, which is the one that counts.
func last(t *testing.T, word string) string {
	t.Helper()
	found := ""
	for _, i := range instructions(t) {
		switch i.word {
		case "FROM":
			found = ""
		case word:
			found = i.rest
		}
	}
	if found == "" {
		t.Fatalf("the image has no %s", word)
	}
	return found
}

// environment returns the variables that the image sets.
func environment(t *testing.T) map[string]string {
	t.Helper()
	values := map[string]string{}
	for pair := range strings.FieldsSeq(last(t, "ENV")) {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			t.Fatalf("ENV has %q", pair)
		}
		values[name] = value
	}
	return values
}

// words returns the words of an instruction in exec form, which needs no shell and passes signals on to the
// program.
func words(t *testing.T, array string) []string {
	t.Helper()
	var words []string
	if err := json.Unmarshal([]byte(array), &words); err != nil || len(words) == 0 {
		t.Fatalf("%q is not in the exec form", array)
	}
	return words
}

func TestBaseImagesArePinned(t *testing.T) {
	t.Parallel()
	stages := 0
	for _, i := range instructions(t) {
		if i.word != "FROM" {
			continue
		}
		stages++
		fields := slices.DeleteFunc(strings.Fields(i.rest), func(s string) bool { return strings.HasPrefix(s, "--") })
		if !pinned(fields[0]) {
			t.Errorf("FROM %s", i.rest)
		}
	}
	if stages != 3 {
		t.Errorf("the image is built in %d stages; the compiler and pip's own needs are to stay behind", stages)
	}
}

func TestImageIsNotRoot(t *testing.T) {
	t.Parallel()
	if user := last(t, "USER"); !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user) {
		t.Errorf("USER %s is no number of a user that is not root", user)
	}
}

func TestImageRunsTheProgram(t *testing.T) {
	t.Parallel()
	_, health, _ := strings.Cut(last(t, "HEALTHCHECK"), "CMD ")
	for _, c := range []struct {
		what string
		got  []string
		want []string
	}{
		{"ENTRYPOINT", words(t, last(t, "ENTRYPOINT")), []string{"bot"}},
		{"CMD", words(t, last(t, "CMD")), []string{"serve"}},
		{"HEALTHCHECK", words(t, health), []string{"bot", "health"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
}

func TestImageSetsWhatItDeclares(t *testing.T) {
	t.Parallel()
	set, known := environment(t), settings(t)
	if set["ATELIER_DATA"] != last(t, "VOLUME") {
		t.Errorf("the data is in %q, the volume is %q", set["ATELIER_DATA"], last(t, "VOLUME"))
	}
	if set["ATELIER_LISTEN"] != ":"+last(t, "EXPOSE") {
		t.Errorf("the program listens at %q, the port is %q", set["ATELIER_LISTEN"], last(t, "EXPOSE"))
	}
	for name := range set {
		if name != "HOME" && !slices.Contains(known, name) {
			t.Errorf("the image sets %s, which the program does not read", name)
		}
	}
}

// TestImageIsCompiledByTheModulesGo checks that the image has the compiler that go.mod requires, and downloads no
// other.
func TestImageIsCompiledByTheModulesGo(t *testing.T) {
	t.Parallel()
	wanted := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindStringSubmatch(text(t, "../go.mod"))
	if wanted == nil {
		t.Fatal("go.mod names no version of Go")
	}
	if !strings.Contains(text(t, "Dockerfile"), " golang:"+wanted[1]+".") {
		t.Errorf("go.mod wants Go %s, and the image is built with another", wanted[1])
	}
}

// TestBuildSeesItsPackages checks that the build gets exactly the folders that have code.
func TestBuildSeesItsPackages(t *testing.T) {
	t.Parallel()
	let := strings.Fields(text(t, "Dockerfile.dockerignore"))
	if !slices.Contains(let, "*") {
		t.Error("what is not named gets into the build")
	}
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && hasCode(t, filepath.Join("..", f.Name())) && !slices.Contains(let, "!"+f.Name()) {
			t.Errorf("%s is not let into the build", f.Name())
		}
	}
}

// hasCode reports whether a folder or a folder below it has Go code other than tests.
func hasCode(t *testing.T, folder string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			found = true
			return fs.SkipAll
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
