package toolbox_test

import (
	"strings"
	"testing"

	"atelier/agent/toolbox"
)

// TestCommandHasNoCode: a command line names a program, or a script file, but contains no code.
func TestCommandHasNoCode(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{ //nolint:gosec // no secrets
		`[cjpeg, -outfile, "{out:jpg}"]`:                              "",
		`[python3, /opt/mark.py, "{image}", "{out:png}"]`:             "",
		`[python3.13, -m, mark, "{image}", "{out:png}"]`:              "",
		`[awk, -f, /opt/mark.awk, "{image}", "{out:png}"]`:            "",
		`[deno, run, mark.ts, "{image}", "{out:png}"]`:                "",
		`[ffmpeg, -i, "{image}", "|", convert, "{out:png}"]`:          `argv has the shell operator "|", but there is no shell`,
		`[ffmpeg, -i, "http://example.org/x.mp4", "{out:png}"]`:       `argv has "http://example.org/x.mp4", a network address`,
		`[file, "{image}", ">", "{out:png}"]`:                         `argv has the shell operator ">"`,
		`[python3, -c, "print(1)", "{out:png}"]`:                      "code to run; put the code into a script file and name that: [python3, /path/to/script, …]",
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

		`[tar, --to-command=sh, -xf, "{image}", -O, "{out:png}"]`:                               "gives tar the option --to-command, which starts other programs",
		`[tar, --to-com=sh, -xf, "{image}", "{out:png}"]`:                                       "gives tar the option --to-com, which",
		`[tar, {if: width, then: [-xIsh]}, -f, "{image}", "{out:png}"]`:                         "gives tar the option -xIsh, which",
		`[tar, "--checkpoint-action=exec={width}", "{image}", "{out:png}"]`:                     "gives tar the option --checkpoint-action",
		`[tar, -xf, "{image}", --strip-components=1, "{out:png}"]`:                              "",
		`[sort, --compress-program, sh, "{image}", -o, "{out:png}"]`:                            "gives sort the option --compress-program",
		`[pandoc, -F, sh, "{image}", -o, "{out:png}"]`:                                          "gives pandoc the option -F",
		`[ffmpeg, -i, "{image}", -i, /etc/passwd, "{out:png}"]`:                                 `argv has "/etc/passwd", a path outside the call's folder`,
		`[ffmpeg, -i, "{image}", -vf, "movie=/etc/passwd", "{out:png}"]`:                        `argv has "movie=/etc/passwd"`,
		`[ffmpeg, -i, "{image}", -vf, "movie=../x.png", "{out:png}"]`:                           `argv has "movie=../x.png"`,
		`[cjpeg, "{if(width > 3, '/etc/passwd', 'x')}", "{out:jpg}"]`:                           `argv has "/etc/passwd"`,
		`[cjpeg, {text: ["--x=", "/etc/passwd"]}, "{out:jpg}"]`:                                 `argv has "--x=/etc/passwd"`,
		`[cjpeg, "file:/etc/passwd", "{out:jpg}"]`:                                              `argv has "file:/etc/passwd"`,
		`[cjpeg, "~/x", "{out:jpg}"]`:                                                           `argv has "~/x"`,
		`[cjpeg, .., "{out:jpg}"]`:                                                              `argv has ".."`,
		`[python3, mark.py, /etc/passwd, "{image}", "{out:png}"]`:                               `argv has "/etc/passwd"`,
		`[ffmpeg, -i, "{image}", -vf, "scale={image.width}/2:{image.height / 2}", "{out:png}"]`: "",
		`[ffmpeg, -i, "{image}", -vf, "setsar=1/1", "{out:png}"]`:                               "",

		`[mark, -t, "{file:text}", "{out:png}"], data: [text]`:                                          "",
		`[mark, "--text={file:text}", "{out:png}"], data: [text]`:                                       "",
		`[python3, /opt/mark.py, "{file:text}", "{out:png}"], data: [text]`:                             "",
		`[awk, -f, /opt/mark.awk, "{file:text}", "{out:png}"], data: [text]`:                            "",
		`[ffmpeg, -i, "{image}", -f, srt, -i, "{file:text}", "{out:png}"]`:                              "",
		`[ffmpeg, -i, "{image}", -vf, "drawtext=textfile={file:text}:expansion=none:x=2", "{out:png}"]`: "",
		`[python3, /opt/mark.py, "{file:text}", "{out:png}"]`:                                           "python3 may run the words in {file:text}",
		`[awk, -f, /opt/mark.awk, "--file={file:text}", "{out:png}"], data: [text]`:                     "awk runs what is in {file:text}",
		`[gnuplot-qt, -p, "{file:text}", "{out:png}"], data: [text]`:                                    "gnuplot-qt runs what is in {file:text}",
		`[ffmpeg, -i, "{image}", {if: width, then: [-f, srt]}, -i, "{file:text}", "{out:png}"]`:         "ffmpeg could run the words",
	} {
		_, err := toolbox.ReadTool([]byte(called("{kind: command, argv: "+argv+"}", "image")))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", argv, err, want)
		}
	}
}

// TestEffectsThatCannotHold: the arguments of ffmpeg must not rule out what the result is checked for.
func TestEffectsThatCannotHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ argv, effect, want string }{
		{`[ffmpeg, -i, "{image}", -an, "{out:mp4}"]`, "sound: some", "the effect sound: some cannot hold, since argv has -an"},
		{`[ffmpeg, -i, "{image}", -an, "{out:mp4}"]`, "loudness: audible", "since argv has -an"},
		{`[ffmpeg, -i, "{image}", -an, "{out:mp4}"]`, "sound: none", ""},
		{`[ffmpeg, -i, "{image}", {if: width > 3, then: [-an]}, "{out:mp4}"]`, "sound: some", ""},
		{`[ffmpeg, -i, "{image}", -f, "null", "{out:mp4}"]`, "sound: none", "argv has -f null, with which ffmpeg writes no file"},
	} {
		_, err := toolbox.ReadTool([]byte(called("{kind: command, argv: "+c.argv+"}", "video") + "effects: [{" + c.effect + "}]\n"))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %s: %v, want %q", c.argv, c.effect, err, c.want)
		}
	}
}
