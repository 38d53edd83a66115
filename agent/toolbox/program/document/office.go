package document

import (
	"bytes"
	"context"

	"atelier/agent/toolbox/program/machine"

	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/sandbox"
)

// soffice is the program of LibreOffice, and python runs the script that uses its library.
const soffice, python = "soffice", "/usr/bin/python3"

// officePackages are the Debian packages for all kinds of office documents.
const officePackages = "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"

// ReadsOffice reports whether office documents can be read: LibreOffice is installed.
func ReadsOffice() bool {
	_, missing := exec.LookPath(soffice)
	return missing == nil
}

// offices lists what office documents need.
func offices() []machine.Need {
	return []machine.Need{{Program: soffice, Debian: officePackages}, {Program: python, Debian: "python3"}}
}

// toPDF returns an office document as a PDF. [Backend.Run] has converted it.
func (d Documents) toPDF(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	path := c.Args["document"][0].Path
	if office := filepath.Dir(path); filepath.Dir(office) != filepath.Clean(c.Dir) {
		return toolbox.Output{}, plan.Refusal("%q is a PDF document already.", filepath.Base(path))
	}
	out := filepath.Join(c.Dir, "out.pdf")
	if err := os.Rename(path, out); err != nil {
		return toolbox.Output{}, fmt.Errorf("name a file: %w", err)
	}
	return toolbox.Output{Path: out, About: plan.Say("a PDF")}, nil
}

// Printed returns the call with its office documents as PDF, in the call's folder. Texts, pictures and PDF documents stay
// as they are.
func (d Documents) Printed(ctx context.Context, c toolbox.Call) (toolbox.Call, error) {
	args := maps.Clone(c.Args)
	for name, values := range args {
		for i, v := range values {
			if v.Type != plan.Document {
				continue
			}
			office, err := media.IsOffice(v.Path)
			if err != nil {
				return c, err
			}
			if !office {
				continue
			}
			values = slices.Clone(values)
			if values[i].Path, err = d.print(ctx, c, v.Path, "office-"+name+strconv.Itoa(i)); err != nil {
				return c, err
			}
			args[name] = values
		}
	}
	c.Args = args
	return c, nil
}

// officeFiles returns the system's files of LibreOffice outside of /usr.
func officeFiles() []string {
	return slices.DeleteFunc([]string{"/etc/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice"}, func(path string) bool {
		_, missing := os.Stat(path)
		return missing != nil
	})
}

//go:embed office.py
var officeScript []byte

// formulaBar is the file that describes Calc's formula bar. Calc cannot load a document without it, even if
// it shows no window, and Debian's libreoffice-calc-nogui lacks it.
const formulaBar = "share/config/soffice.cfg/modules/scalc/ui/inputbar.ui"

//go:embed inputbar.ui
var formulaBarXML []byte

// completed returns an installation of LibreOffice that has the formula bar: the given one, or a copy of it
// in the folder that consists of symbolic links.
func completed(installation, folder string) (string, error) {
	if _, err := os.Stat(filepath.Join(installation, formulaBar)); err == nil {
		return installation, nil
	}
	settings, err := os.ReadFile(filepath.Join(installation, "program/fundamentalrc"))
	if err != nil {
		return "", fmt.Errorf("read the settings of LibreOffice: %w", err)
	}
	moved := bytes.ReplaceAll(settings, []byte("BRAND_BASE_DIR=file://"+installation+"\n"), []byte("BRAND_BASE_DIR=file://"+folder+"\n"))
	err = errors.Join(
		linked(installation, folder, "program/fundamentalrc", moved),
		linked(installation, folder, formulaBar, formulaBarXML),
		os.Remove(filepath.Join(folder, "presets")), // LibreOffice copies the presets into a profile, but follows no links
		os.CopyFS(filepath.Join(folder, "presets"), os.DirFS(filepath.Join(installation, "presets"))),
	)
	if err != nil {
		return "", fmt.Errorf("complete LibreOffice: %w", err)
	}
	return folder, nil
}

// linked mirrors a folder by symbolic links, except for the file at the path, which gets the content.
func linked(from, to, path string, content []byte) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	own, rest, deeper := strings.Cut(path, "/")
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		link := filepath.Join(to, e.Name())
		if _, err := os.Lstat(link); err == nil || e.Name() == own {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), link); err != nil {
			return err
		}
	}
	at := filepath.Join(to, own)
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) { // a link of an earlier call
		return err
	}
	if deeper {
		return linked(filepath.Join(from, own), at, rest, content)
	}
	return os.WriteFile(at, content, 0o600)
}

// print converts an office document to PDF in a new folder of the call.
func (d Documents) print(ctx context.Context, c toolbox.Call, path, folder string) (string, error) {
	if err := d.Require(offices()); err != nil {
		return "", fmt.Errorf("%w: %w", toolbox.ErrDown, err)
	}
	library, err := exec.LookPath(soffice)
	if err == nil {
		library, err = filepath.EvalSymlinks(library)
	}
	if err != nil {
		return "", fmt.Errorf("find LibreOffice: %w", err)
	}
	name := filepath.Base(path)
	path, err = filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find a document: %w", err)
	}
	folder = filepath.Join(c.Dir, folder)
	dir, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("find the folder of a call: %w", err)
	}
	script, made := filepath.Join(dir, "office.py"), strings.TrimSuffix(name, filepath.Ext(name))+".pdf"
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(script, officeScript, 0o600)); err != nil {
		return "", fmt.Errorf("write the program that reads office documents: %w", err)
	}
	installation, err := completed(filepath.Dir(filepath.Dir(library)), filepath.Join(dir, "libreoffice"))
	if err != nil {
		return "", err
	}
	profile := url.URL{Scheme: "file", Path: filepath.Join(dir, "profile")}
	_, err = d.Run(ctx, sandbox.Command{
		Program: python, Dir: dir, Read: append(officeFiles(), path), Memory: machine.OtherMemory, Timeout: machine.OtherTime,
		Args: []string{script, filepath.Join(installation, "program"), profile.String(), path, filepath.Join(dir, made)},
	})
	switch {
	case ctx.Err() != nil, errors.Is(err, toolbox.ErrDown):
		return "", err
	case err != nil:
		return "", &plan.Fault{Sentence: plan.Say("%q is damaged: it cannot be read as an office document.", name), Err: err, Final: true}
	}
	return filepath.Join(folder, made), nil
}
