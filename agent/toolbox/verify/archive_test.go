package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/verify"
)

// packed returns an archive of the entries that the functions write.
func packed(t *testing.T, entries ...func(*zip.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, write := range entries {
		if err := write(z); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// holding returns an entry with the content.
func holding(name, content string) func(*zip.Writer) error {
	return func(z *zip.Writer) error {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		_, err = w.Write([]byte(content))
		return err
	}
}

// saying returns an entry with a false header.
func saying(content string, change func(*zip.FileHeader)) func(*zip.Writer) error {
	return func(z *zip.Writer) error {
		h := &zip.FileHeader{
			Name: "a.txt", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(content)),
			CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
		}
		change(h)
		w, err := z.CreateRaw(h)
		if err != nil {
			return err
		}
		_, err = w.Write([]byte(content))
		return err
	}
}

// mode returns an entry with the file mode.
func mode(name string, m fs.FileMode, content string) func(*zip.Writer) error {
	return func(z *zip.Writer) error {
		h := &zip.FileHeader{Name: name, Method: zip.Store}
		h.SetMode(m)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = w.Write([]byte(content))
		return err
	}
}

// many returns n entries.
func many(n int) []func(*zip.Writer) error {
	all := make([]func(*zip.Writer) error, n)
	for i := range all {
		all[i] = holding(fmt.Sprintf("%d.txt", i), "")
	}
	return all
}

// TestArchives that are damaged, or would do harm when unpacked, are rejected.
func TestArchives(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all work and no play ", 2000)
	good := packed(t, holding("notes.txt", long), holding("folder/b.txt", "b"), mode("folder/", fs.ModeDir|0o755, ""))
	flipped := func(from string) []byte {
		stored := packed(t, mode("a.txt", 0o644, "the content"))
		b := bytes.Replace(stored, []byte(from), []byte("The CONTENT"), 1)
		if bytes.Equal(b, stored) {
			t.Fatalf("there is no %q", from)
		}
		return b
	}
	lying := append([]byte{}, good...)
	binary.LittleEndian.PutUint16(lying[len(lying)-12:], 9) // the number of entries in the end
	for name, c := range map[string]struct {
		archive []byte
		want    string // in the error; "" where it is right
	}{
		"a good one":                  {good, ""},
		"a good one within another":   {packed(t, holding("inner.zip", string(good))), ""},
		"a broken one within another": {packed(t, holding("inner.zip", string(good[:len(good)/2]))), ""},
		"an empty file":               {packed(t, holding("a.txt", "")), ""},
		"a name with dots":            {packed(t, holding("a..b.txt", "x"), holding("..a", "x")), ""},

		"nothing":                        {nil, "the file is empty"},
		"no archive":                     {[]byte("PK\x03\x04 and so on"), "not a valid zip file"},
		"without files":                  {packed(t), "has no files"},
		"a folder alone":                 {packed(t, mode("folder/", fs.ModeDir|0o755, "")), "has no files"},
		"without its end":                {good[:len(good)-10], "not a valid zip file"},
		"the first half":                 {good[:len(good)/2], "not a valid zip file"},
		"another number of entries":      {lying, "open an archive"},
		"content of another checksum":    {flipped("the content"), "checksum"},
		"checksum of another content":    {packed(t, saying("x", func(h *zip.FileHeader) { h.CRC32++ })), "checksum"},
		"damaged compression":            {packed(t, saying("no deflate", func(h *zip.FileHeader) { h.Method = zip.Deflate })), "unpack entry 1"},
		"an unknown compression":         {packed(t, saying("x", func(h *zip.FileHeader) { h.Method = 99 })), "unsupported compression"},
		"shorter than it says":           {packed(t, saying("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 2 })), "unpack entry 1"},
		"longer than it says":            {packed(t, saying("xyz", func(h *zip.FileHeader) { h.UncompressedSize64 = 2 })), "unpack entry 1"},
		"huge by its own word":           {packed(t, saying("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 50 })), "more than 4294967296 bytes"},
		"huge in all":                    {packed(t, saying("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 3 << 30 }), saying("x", func(h *zip.FileHeader) { h.Name, h.UncompressedSize64 = "b", 3<<30 })), "more than 4294967296 bytes"},
		"a name that leads up":           {packed(t, holding("../evil.txt", "x")), "entry 1 of the archive: its name points outside the folder"},
		"a name that leads up later":     {packed(t, holding("a.txt", "x"), holding("a/../../evil.txt", "x")), "entry 2 of the archive: its name points outside the folder"},
		"a name from the root":           {packed(t, holding("/etc/evil", "x")), "points outside the folder"},
		"a name of Windows":              {packed(t, holding(`..\evil.txt`, "x")), "points outside the folder"},
		"a drive of Windows":             {packed(t, holding("C:evil.txt", "x")), "points outside the folder"},
		"no name":                        {packed(t, holding("", "x")), "points outside the folder"},
		"a link":                         {packed(t, mode("a", fs.ModeSymlink|0o777, "/etc/passwd")), "must be a file or a folder"},
		"a device":                       {packed(t, mode("a", fs.ModeDevice|0o666, "")), "must be a file or a folder"},
		"one name twice":                 {packed(t, holding("a.txt", "x"), holding("A.txt", "y")), "entry 2 of the archive: its name is used twice"},
		"a file that is a folder before": {packed(t, mode("a/", fs.ModeDir|0o755, ""), holding("a", "x")), "is used twice"},
		"far too many":                   {packed(t, many(10_001)...), "10001 entries"},
	} {
		err := verifyArchive(t, t.Context(), c.archive)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		told := plan.Sentence(err, plan.Message{}).String()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(told, "The result should be an archive, but the file is ") {
			t.Errorf("%s: people read %q: %v", name, told, err)
		}
		if strings.Contains(fmt.Sprint(err), "evil") {
			t.Errorf("%s: the name of a file is told: %v", name, err)
		}
	}
}

func verifyArchive(t *testing.T, ctx context.Context, content []byte) error { //nolint:revive // the test comes first
	t.Helper()
	path := filepath.Join(t.TempDir(), "files.zip")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return verify.New(verify.Config{Call: toolbox.Call{Returns: plan.Archive}}).Verify(ctx, toolbox.Output{Path: path})
}

// TestUnpackingStops with its context.
func TestUnpackingStops(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := verifyArchive(t, ctx, packed(t, holding("a.txt", "x"))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
