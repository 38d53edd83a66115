package settings

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"atelier/bot/fault"
)

// prefix begins the names of the settings that are the program's alone.
const prefix = "ATELIER_"

// commonPrefixes begin the names of settings that other programs may have too.
func commonPrefixes() []string {
	return []string{"OPENAI_", "DECOMPOSER_", "PLANNER", "REDIS_", "S3_", "AWS_", "DISCORD_", "SLACK_", "TOOL_SERVER_", "LOCALAI_"}
}

// maxEnvLine is the longest line of a file .env, in bytes.
const maxEnvLine = 64 << 10

// ExampleEnv is the content of .env.example.
func ExampleEnv() string {
	var b strings.Builder
	b.WriteString("# Settings of Atelier. Copy this file to .env and change what you need.\n" +
		"# The environment and a command's flags take precedence over it. No setting is required.\n")
	for _, s := range settings() {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.about, s.name, s.value)
	}
	return b.String()
}

// Read reads the environment, and a file .env of the current folder for what the
// environment does not set. The flags of a command, if there are any, go over both. A
// wrong value is wrong usage, and so are settings that do not go together and a name that
// looks like a setting and is none: in the environment one that begins with [prefix], and
// in the file, which is read by no other program, one that begins as any setting does.
// All that is wrong is told at once.
//
// complete adds what the process finds out by itself, once all of that is right; nil adds
// nothing.
func Read(environ []string, flags func(*Config) error, complete func(Config) (Config, error)) (Config, error) {
	file, values, err := variables(environ)
	if err != nil {
		return Config{}, fault.Usage("The file .env is wrong: %s.", err)
	}
	c := Config{Variables: maps.Clone(values)}
	var wrong []string
	for _, s := range settings() {
		value := cmp.Or(values[s.name], s.value)
		if err := s.set(&c, value); err != nil {
			wrong = append(wrong, s.complaint(value, err))
		}
		delete(values, s.name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		_, inFile := file[name]
		common := slices.ContainsFunc(commonPrefixes(), func(p string) bool { return strings.HasPrefix(name, p) })
		if strings.HasPrefix(name, prefix) || formerNames()[name] != "" || inFile && common {
			wrong = append(wrong, unknown(name))
		}
	}
	if flags != nil {
		if err := flags(&c); err != nil {
			wrong = append(wrong, fault.OneByOne(err)...)
		}
	}
	if len(wrong) == 0 { // what follows from wrong values would only confuse
		if complete != nil {
			if c, err = complete(c); err != nil {
				return Config{}, err
			}
		}
		c, wrong = resolve(c)
	}
	if len(wrong) > 0 {
		return Config{}, fault.Usage("%s", strings.Join(wrong, fault.WrongSettingsApart))
	}
	return c, nil
}

// variables are those of the file .env by themselves, and with those of the environment over them.
func variables(environ []string) (file, values map[string]string, err error) {
	file, err = readEnvFile(".env")
	if err != nil {
		return nil, nil, err
	}
	values = maps.Clone(file)
	for _, variable := range environ {
		if name, value, ok := strings.Cut(variable, "="); ok {
			values[name] = value
		}
	}
	return file, values, nil
}

// Names are those of all settings.
func Names() []string {
	var all []string
	for _, s := range settings() {
		all = append(all, s.name)
	}
	return all
}

// NamesSet are the settings that the environment or the file .env sets.
func NamesSet(environ []string) ([]string, error) {
	_, values, err := variables(environ)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(Names(), func(name string) bool { return values[name] == "" }), nil
}

// complaint says what is wrong with a value.
func (s setting) complaint(value string, err error) string {
	if s.secret {
		return fmt.Sprintf("%s is wrong: %s.", s.name, err)
	}
	return fmt.Sprintf("%s is %q: %s.", s.name, value, err)
}

// formerNames are the settings that had another name, with today's.
func formerNames() map[string]string {
	return map[string]string{"ATELIER_MIND": "PLANNER", "MIND": "PLANNER", "MIND_FALLBACK": "PLANNER_FALLBACK"}
}

// unknown says that there is no such setting.
func unknown(name string) string {
	if now := formerNames()[name]; now != "" {
		return fmt.Sprintf("There is no setting %s any more: it is called %s.", name, now)
	}
	if strings.HasPrefix(name, "AWS_") {
		return name + " is not read from the file .env: set it in the environment."
	}
	return fmt.Sprintf("There is no setting %s. To see them all: bot env", name)
}

// readEnvFile reads lines of the form NAME=value; # begins a comment line. A file that
// is not there is empty; what is no file, such as a pipe, is not opened.
func readEnvFile(name string) (_ map[string]string, err error) {
	values := map[string]string{}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return values, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxEnvLine)
	n := 1
	for ; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !ok {
			return nil, fmt.Errorf("line %d is not of the form NAME=value", n)
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && value[0] == value[len(value)-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : len(value)-1]
		}
		values[strings.TrimSpace(name)] = value
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is too long: at most %d bytes are read", n, maxEnvLine)
	}
	return values, lines.Err()
}
