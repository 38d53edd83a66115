package sandbox

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConfinement holds the kernel to what its version can, and Confines tells of the rest.
// Each script tries what it must not; ok is what it says where it could.
func TestConfinement(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, Config{})
	version, filtered := landlockVersion(), filters()
	t.Logf("Landlock is of version %d, calls are filtered: %t", version, filtered)
	folder := t.TempDir()
	dir, given, sibling := filepath.Join(folder, "call"), filepath.Join(folder, "given"), filepath.Join(folder, "sibling")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{given, sibling} {
		if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })                //nolint:errcheck // all scripts have ended
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port) //nolint:forcetypeassert,errcheck // it listens on TCP
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(folder, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() }) //nolint:errcheck // all scripts have ended

	// perl speaks to sockets, and is part of every Debian.
	connect := func(family, address string) string {
		return "perl -MSocket -e 'socket(S," + family + ",SOCK_STREAM,0) and connect(S," + address + ") and print q(ok)'"
	}
	const calls = -1
	for name, c := range map[string]struct {
		script string
		may    bool
		// harmful is what is not tried outside too, where the others succeed.
		harmful bool
		// by is what keeps it from that: Landlock of this version, 1 if it is not said, or the
		// filter of calls.
		by int
	}{
		"read what is given":       {script: "cat " + given + " >/dev/null && echo ok", may: true},
		"write into the folder":    {script: "mkdir sub && echo x >sub/file && mv sub/file sub/other && rm -r sub && echo ok", may: true},
		"read a sibling":           {script: "cat " + sibling + " && echo ok"},
		"list the folder above":    {script: "ls " + folder + " && echo ok"},
		"read the users":           {script: "cat /etc/passwd && echo ok"},
		"read the settings":        {script: "cat /etc/hostname || cat /etc/resolv.conf && echo ok"},
		"read of other processes":  {script: "cat /proc/1/cmdline || cat /proc/" + strconv.Itoa(os.Getpid()) + "/environ && echo ok"},
		"write what is given":      {script: "echo x >" + given + " && echo ok"},
		"append to what is given":  {script: "echo x >>" + given + " && echo ok"},
		"write elsewhere":          {script: "echo x >" + folder + "/new && echo ok"},
		"write into /tmp":          {script: "echo x >/tmp/atelier-sandbox-test && echo ok", harmful: true},
		"write into the system":    {script: "echo x >/usr/atelier-sandbox-test && echo ok", harmful: true},
		"follow a link out":        {script: "ln -s " + sibling + " out && cat out && echo ok"},
		"leave a link":             {script: "ln -s " + sibling + " out && echo ok"},
		"leave a second name":      {script: "ln " + sibling + " out && echo ok"},
		"leave a pipe":             {script: "mkfifo out && echo ok"},
		"run what it has written":  {script: "cp /bin/true mine && chmod +x mine && ./mine && echo ok"},
		"end this process":         {script: "kill -0 " + strconv.Itoa(os.Getpid()) + " && echo ok", by: signals},
		"connect":                  {script: connect("PF_INET", "pack_sockaddr_in("+port+",inet_aton(q(127.0.0.1)))"), by: calls},
		"connect to a file":        {script: connect("PF_UNIX", "pack_sockaddr_un(q("+folder+"/socket))"), by: calls},
		"send a datagram":          {script: "perl -MSocket -e 'socket(S,PF_INET,SOCK_DGRAM,0) and print q(ok)'", by: calls},
		"leave its group":          {script: "setsid true && echo ok", by: calls},
		"empty a sibling":          {script: "perl -e 'truncate(q(" + sibling + "), 5) and print q(ok)'", by: truncates},
		"share memory":             {script: "perl -e '$id = shmget(0, 4096, 0600); defined $id and shmctl($id, 0, 0) and print q(ok)'", by: calls},
		"leave a queue":            {script: "perl -e '$id = msgget(0, 0600); defined $id and msgctl($id, 0, 0) and print q(ok)'", by: calls},
		"leave semaphores":         {script: "perl -e '$id = semget(0, 1, 0600); defined $id and semctl($id, 0, 0, 0) and print q(ok)'", by: calls},
		"have a system of its own": {script: "unshare --user true && echo ok", by: calls, harmful: true},
		"be born in another":       {script: "perl -e '$id = syscall(" + strconv.Itoa(unix.SYS_CLONE) + ", " + strconv.Itoa(unix.CLONE_NEWUSER|int(unix.SIGCHLD)) + ", 0, 0, 0, 0); $id > 0 and print q(ok)'", by: calls, harmful: true},
		"ask for another's keys":   {script: "perl -e 'syscall(" + strconv.Itoa(unix.SYS_KEYCTL) + ", 0, -3, 0) >= 0 and print q(ok)'", by: calls, harmful: true},
		"give a file away":         {script: "echo x >mine && chown 12345 mine && echo ok", harmful: true},
		"take a limit back":        {script: "ulimit -f unlimited && echo ok", harmful: true},
		"use another way to calls": {script: "perl -e 'syscall(0x40000000 + 41, 2, 1, 0) >= 0 and print q(ok)'", by: calls, harmful: true},
	} {
		if c.by == calls && !filtered || c.by != calls && version < max(c.by, 1) {
			continue // Confines tells
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := sh(c.script)
			command.Dir, command.Read = t.TempDir(), []string{given}
			if !c.harmful {
				free := exec.CommandContext(t.Context(), "sh", "-c", c.script) //nolint:gosec // the test's own words
				free.Dir = t.TempDir()
				if out, err := free.CombinedOutput(); !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
					t.Fatalf("it fails unconfined too: %q, %v", out, err)
				}
			}
			out, err := s.Run(t.Context(), command)
			if may := strings.HasSuffix(strings.TrimSpace(string(out)), "ok"); may != c.may {
				t.Errorf("it could: %v; it says %q, %v", may, out, err)
			}
		})
	}
}

// TestConfines: what a kernel cannot do of what is promised is said.
func TestConfines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version  int
		filtered bool
		says     []string
	}{
		{0, true, []string{"no Landlock"}},
		{0, false, []string{"no Landlock", "open sockets"}},
		{2, true, []string{"version 2", "emptying files", "ending other processes"}}, // Debian 12
		{5, true, []string{"version 5", "ending other processes"}},
		{6, false, []string{"open sockets"}},
		{6, true, nil},
	} {
		err := lacking(c.version, c.filtered)
		if (err == nil) != (len(c.says) == 0) {
			t.Errorf("version %d, filtered %t: %v", c.version, c.filtered, err)
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("version %d says %v, which lacks %q", c.version, err, word)
			}
		}
	}
}

func TestLibrariesBesideAProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, sub := range []string{"bin", "lib"} {
		if err := os.Mkdir(filepath.Join(folder, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "bin", "hello")
	if err := os.WriteFile(filepath.Join(folder, "lib", "words"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat "+folder+"/lib/words"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := newSandbox(t, Config{}).Run(t.Context(), Command{Program: program})
	if err != nil || string(out) != "hello" {
		t.Errorf("%q, %v", out, err)
	}
}
