package toolbox_test

import (
	"strings"
	"testing"

	"atelier/agent/toolbox"
)

// TestCommandHasNoCode: a command line names a program, and a script by its file. What it runs is never in the
// arguments.
func TestCommandHasNoCode(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		`[cjpeg, -outfile, "{out:jpg}"]`:                              "",
		`[python3, /opt/mark.py, "{image}", "{out:png}"]`:             "",
		`[python3.13, -m, mark, "{image}", "{out:png}"]`:              "",
		`[awk, -f, /opt/mark.awk, "{image}", "{out:png}"]`:            "",
		`[deno, run, mark.ts, "{image}", "{out:png}"]`:                "",
		`[python3, -c, "print(1)", "{out:png}"]`:                      "code to run; write the code into a script and name that: [python3, /path/to/script, …]",
		`[python3.13, -Ic, "print(1)", "{out:png}"]`:                  "gives python3.13 code to run",
		`[python3, -m, "{style}", "{out:png}"]`:                       "gives python3 code to run",
		`[python3, "{file:text}", "{out:png}"]`:                       "gives python3 code to run",
		`[python3, {if: width, then: [-c, "print(1)"]}, "{out:png}"]`: "gives python3 code to run",
		`[python3, -, "{out:png}"]`:                                   "gives python3 code to run",
		`[perl, -e, "print 1", "{out:png}"]`:                          "gives perl code to run",
		`[perl, -pe, "s/a/b/", "{out:png}"]`:                          "gives perl code to run",
		`[ruby, -e, "puts 1", "{out:png}"]`:                           "gives ruby code to run",
		`[node, --eval, "1", "{out:png}"]`:                            "gives node code to run",
		`[deno, eval, "1", "{out:png}"]`:                              "name that: [deno, run, /path/to/script, …]",
		`[gawk, "BEGIN {{ system(1) }}", "{out:png}"]`:                "name that: [gawk, -f, /path/to/script, …]",
		`[awk, -f, "{file:text}", "{out:png}"]`:                       "gives awk code to run",
		`[sh, -c, "ls", "{out:png}"]`:                                 "starts sh, which starts other programs",
		`[env, python3, -c, "print(1)", "{out:png}"]`:                 "starts env, which starts other programs",
		`[xargs, rm, "{out:png}"]`:                                    "starts xargs, which starts other programs",
		`[find, ., -exec, rm, "{{}}", ";", "{out:png}"]`:              "starts find, which starts other programs",
	} {
		_, err := toolbox.ReadTool([]byte(called("{kind: command, argv: "+argv+"}", "image")))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", argv, err, want)
		}
	}
}
