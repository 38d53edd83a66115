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

// prefix begins the names of the program's own settings.
const prefix = "ATELIER_"

// commonPrefixes begin the names of settings that other programs may have too.
func commonPrefixes() []string {
	return []string{"OPENAI_", "DECOMPOSER_", "PLANNER", "REDIS_", "S3_", "AWS_", "DISCORD_", "SLACK_", "TOOL_SERVER_", "LOCALAI_"}
}

// maxEnvLine is the maximum length of a line of .env, in bytes.
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

// Read reads the environment and the file .env in the current folder. The environment takes precedence
// over the file, and flags over both. Wrong values, settings that do not go together and unknown names are
// usage errors, all reported at once. A name in the environment counts as unknown if it begins with
// [prefix]; in .env, which no other program reads, also if it begins like any setting.
//
// complete, if not nil, adds what the process detects itself, once everything is valid.
func Read(environ []string, flags func(*Config) error, complete func(Config) (Config, error)) (Config, error) {
	file, values, err := variables(environ)
	if err != nil {
		return Config{}, fault.Usage("The file .env is invalid: %s.", err)
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
			wrong = append(wrong, fault.Messages(err)...)
		}
	}
	if len(wrong) == 0 { // further errors would only confuse
		if complete != nil {
			if c, err = complete(c); err != nil {
				return Config{}, err
			}
		}
		c, wrong = resolve(c)
	}
	if len(wrong) > 0 {
		return Config{}, fault.Usage("%s", strings.Join(wrong, fault.SettingsSeparator))
	}
	return c, nil
}

// variables returns the variables of .env, and these merged with the environment, which takes precedence.
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

// Names lists the names of all settings.
func Names() []string {
	var all []string
	for _, s := range settings() {
		all = append(all, s.name)
	}
	return all
}

// NamesSet lists the settings that are set in the environment or in .env.
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
		return fmt.Sprintf("%s is invalid: %s.", s.name, err)
	}
	return fmt.Sprintf("%s is %q: %s.", s.name, value, err)
}

// formerNames maps former names of settings to the present ones.
func formerNames() map[string]string {
	return map[string]string{"ATELIER_MIND": "PLANNER", "MIND": "PLANNER", "MIND_FALLBACK": "PLANNER_FALLBACK"}
}

// unknown is the sentence about an unknown setting.
func unknown(name string) string {
	if now := formerNames()[name]; now != "" {
		return fmt.Sprintf("The setting %s is now called %s.", name, now)
	}
	if strings.HasPrefix(name, "AWS_") {
		return name + " is not read from the file .env: set it in the environment."
	}
	return fmt.Sprintf("There is no setting %s. To see them all: bot env", name)
}

// readEnvFile reads lines of the form NAME=value; # begins a comment line. A missing file counts as empty.
// Anything but a regular file is rejected.
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
			return nil, fmt.Errorf("line %d must have the form NAME=value", n)
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && value[0] == value[len(value)-1] && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : len(value)-1]
		}
		values[strings.TrimSpace(name)] = value
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is too long: the limit is %d bytes", n, maxEnvLine)
	}
	return values, lines.Err()
}
