package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// world is a system for programs, described by how it differs from this one.
type world struct {
	// root and ordinary say which users there are. If the test runs as an ordinary user, root is skipped.
	root, ordinary bool
	// without is a capability that root lacks.
	without int
	// namespace makes root one in a user namespace only.
	namespace bool
	// fails are system calls that fail.
	fails []failing
	// says are words in the operator's report.
	says []string
}

// failing is a system call that fails with an error, if its first argument has a value or some bits.
type failing struct {
	call, first, bits uint32
	so                syscall.Errno
}

// System calls that some kernels and containers lack.
var (
	noLandlock   = failing{call: unix.SYS_LANDLOCK_CREATE_RULESET, so: unix.ENOSYS}
	noFilters    = []failing{{call: unix.SYS_PRCTL, first: unix.PR_SET_SECCOMP, so: unix.EINVAL}, {call: unix.SYS_SECCOMP, so: unix.ENOSYS}}
	noNamespaces = []failing{{call: unix.SYS_UNSHARE, so: unix.EPERM}, {call: unix.SYS_CLONE, bits: namespaces, so: unix.EPERM}, {call: unix.SYS_CLONE3, so: unix.ENOSYS}}
)

var worlds = map[string]world{
	"an ordinary user":                 {ordinary: true, says: []string{"only root can", "A system call filter keeps them from"}},
	"root of a container":              {root: true, without: unix.CAP_SYS_PTRACE, says: []string{"root lacks CAP_SYS_PTRACE", "A system call filter keeps them from"}},
	"root of a user namespace":         {root: true, namespace: true, says: []string{"cannot become user 65530", "A system call filter keeps them from"}},
	"root that may not change":         {root: true, fails: []failing{{call: unix.SYS_SETRESUID, so: unix.EPERM}}, says: []string{"cannot become user 65530"}},
	"no user namespaces":               {root: true, ordinary: true, fails: noNamespaces},
	"no Landlock":                      {root: true, ordinary: true, fails: []failing{noLandlock}, says: []string{"no Landlock", "read and write the files that this process may"}},
	"no filters":                       {root: true, ordinary: true, fails: noFilters, says: []string{"not filtered", "open sockets"}},
	"neither":                          {root: true, ordinary: true, fails: append([]failing{noLandlock}, noFilters...), says: []string{"no Landlock", "not filtered"}},
	"neither, root that cannot change": {root: true, without: unix.CAP_SETUID, fails: append([]failing{noLandlock}, noFilters...), says: []string{"no Landlock", "they may end other processes"}},
}

// Environment variables of the test: the world to enter first, the world that the process is in, and that it
// is the confined program.
const (
	worldAhead = "ATELIER_TEST_WORLD_AHEAD"
	worldHere  = "ATELIER_TEST_WORLD"
	attempting = "ATELIER_TEST_ATTEMPTS"
)

const someUser = 65531 // an ordinary one

// TestConfinement: the promised protections hold on this system and on others, for root and for an ordinary
// user.
func TestConfinement(t *testing.T) {
	if told, ok := os.LookupEnv(attempting); ok {
		if err := tryAll(told); err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	if name, ok := os.LookupEnv(worldAhead); ok {
		t.Fatal(enterWorld(name))
	}
	if name, ok := os.LookupEnv(worldHere); ok {
		confinement(t, worlds[name])
		return
	}
	t.Parallel()
	t.Run("here", func(t *testing.T) {
		t.Parallel()
		confinement(t, world{})
	})
	for name, w := range worlds {
		users := []int{os.Geteuid()}
		if os.Geteuid() == 0 {
			users = slices.DeleteFunc([]int{0, someUser}, func(id int) bool { return id == 0 && !w.root || id != 0 && !w.ordinary })
		} else if !w.ordinary {
			continue
		}
		for _, id := range users {
			t.Run(fmt.Sprintf("%s, %d", name, id), func(t *testing.T) {
				t.Parallel()
				c := exec.CommandContext(t.Context(), self, onlyThis, "-test.v")
				c.Env = append(os.Environ(), worldAhead+"="+name)
				c.Dir = os.TempDir()
				c.SysProcAttr = &syscall.SysProcAttr{}
				if id != os.Geteuid() {
					c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}
				}
				if w.namespace {
					c.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER
					c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
					c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
				}
				out, err := c.CombinedOutput()
				if w.namespace && errors.Is(err, unix.EPERM) {
					t.Logf("there are no user namespaces here: %v", err) // so that nobody is root of one
				} else if err != nil || !bytes.Contains(out, []byte("--- PASS: TestConfinement")) {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}

// confinement makes all attempts in the current world.
func confinement(t *testing.T, w world) {
	t.Helper()
	s := newSandbox(t, Config{})
	p := expected(t, w)
	a := newArena(t)

	said := s.Confinement(t.Context())
	told := said.User
	if said.Lacks != nil {
		told += " " + said.Lacks.Error()
	}
	t.Log(told)
	for _, words := range append(w.says, "Programs run as") {
		if !strings.Contains(told, words) {
			t.Errorf("the operator is told %q, which lacks %q", told, words)
		}
	}
	if own := strings.Contains(told, "a user of their own"); own != (p&otherUser != 0) {
		t.Errorf("the operator is told %q", told)
	}
	if whole := p&emptying != 0 && p&calls != 0; whole != (said.Lacks == nil) {
		t.Errorf("the operator is told that this is missing: %v", said.Lacks)
	}

	out, err := s.Run(t.Context(), Command{Program: self, Args: []string{onlyThis}, Env: tries(t, a, p), Dir: t.TempDir(), Read: []string{a.Given}})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, out, p)
	if len(w.says) > 0 {
		return
	}
	// Attempts that nothing prevents succeed, which shows that the others fail because of the protections.
	free := exec.CommandContext(t.Context(), self, onlyThis)
	free.Env, free.Dir = append(os.Environ(), tries(t, a, 0)...), t.TempDir()
	if out, err = free.Output(); err != nil {
		t.Fatal(err)
	}
	judge(t, out, 0)
}

// expected returns the protections of a world.
func expected(t *testing.T, w world) protections {
	t.Helper()
	p := always
	for version, protects := range map[int]protections{1: files, truncates: emptying, 4: connecting, signals: scope, 9: addressing} {
		if landlockVersion() >= version {
			p |= protects
		}
	}
	if filters() {
		p |= calls
	}
	all, err := capabilities()
	if err != nil {
		t.Fatal(err)
	}
	own := os.Geteuid() == 0 && !slices.ContainsFunc(w.fails, func(f failing) bool { return f.call == unix.SYS_SETRESUID }) && !w.namespace
	for _, c := range needed {
		own = own && all.Effective&(1<<c.capability) != 0
	}
	if os.Geteuid() == 0 {
		p |= lesser
	}
	if own {
		p |= otherUser
	}
	if p&calls != 0 && p&scope == 0 {
		p |= quiet
	}
	if p&files == 0 {
		p |= hidden
		if os.Geteuid() != 0 {
			p |= hiddenFiles
		}
	}
	return p
}

func newArena(t *testing.T) arena {
	t.Helper()
	folder := t.TempDir()
	a := arena{Given: filepath.Join(folder, "given"), Sibling: filepath.Join(folder, "sibling"), Folder: folder, Bot: os.Getpid()}
	if err := errors.Join(os.WriteFile(a.Given, []byte("words"), 0o600), os.WriteFile(a.Sibling, []byte("words"), 0o600)); err != nil {
		t.Fatal(err)
	}
	victim := exec.CommandContext(t.Context(), "sleep", "600") // until the test is over
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	a.Victim = victim.Process.Pid
	t.Cleanup(func() {
		if err := victim.Wait(); err == nil {
			t.Error("the victim has ended by itself")
		}
	})
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })   //nolint:errcheck // all attempts are over
	a.Port = listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert,errcheck // it listens on TCP
	a.Socket = filepath.Join(folder, "socket")
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", a.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() }) //nolint:errcheck // all attempts are over
	return a
}

// tries is the environment variable for making the attempts.
func tries(t *testing.T, a arena, p protections) []string {
	t.Helper()
	in, err := json.Marshal(input{a, p})
	if err != nil {
		t.Fatal(err)
	}
	return []string{attempting + "=" + string(in)}
}

// judge checks the outcome of the attempts.
func judge(t *testing.T, out []byte, p protections) {
	t.Helper()
	var said map[string]string
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	for _, a := range p.attempts() {
		why, tried := said[a.name]
		switch {
		case !tried:
			t.Errorf("%s: it was not tried", a.name)
		case a.by&p == 0 && why != "":
			t.Errorf("%s: it could not: %s", a.name, why)
		case a.by&p != 0 && why == "":
			t.Errorf("%s: it could", a.name)
		case a.by&p&(calls|quiet) != 0 && why != a.refusal().Error():
			t.Errorf("%s: it is told %q, not %q", a.name, why, a.refusal())
		}
	}
}

// onlyThis is the argument that runs only TestConfinement.
const onlyThis = "-test.run=^TestConfinement$"

// TestLacks: the operator learns which promises a kernel cannot keep.
func TestLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		holds protection
		says  []string
	}{
		{protection{Filtered: true}, []string{"no Landlock"}},
		{protection{OwnUser: true}, []string{"no Landlock", "open sockets"}},
		{protection{Landlock: 2, Filtered: true}, []string{"version 2", "truncating files"}}, // Debian 12
		{protection{Landlock: 5, Filtered: true}, nil},
		{protection{Landlock: 6}, []string{"open sockets", "change their limits"}},
		{protection{Landlock: 6, Filtered: true}, nil},
		{protection{Landlock: 6, Filtered: true, OwnUser: true}, nil},
	} {
		err := c.holds.lacks()
		if (err == nil) != (len(c.says) == 0) {
			t.Errorf("%+v: %v", c.holds, err)
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%+v says %v, which lacks %q", c.holds, err, word)
			}
		}
	}
}

// enterWorld moves this process to a world, and executes the test program again there.
func enterWorld(name string) error {
	runtime.LockOSThread() // what is changed of one thread is changed of what is started from it
	w := worlds[name]
	if w.without != 0 && os.Geteuid() == 0 {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(w.without), 0, 0, 0); err != nil {
			return fmt.Errorf("drop a privilege: %w", err)
		}
	}
	if len(w.fails) > 0 {
		if err := fail(w.fails); err != nil {
			return fmt.Errorf("let calls fail: %w", err)
		}
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, worldAhead+"=") })
	return syscall.Exec(self, os.Args, append(env, worldHere+"="+name)) //nolint:gosec // this test anew
}

// fail makes calls of this thread fail.
func fail(all []failing) error {
	const number, first = 0, 16
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	var program []unix.SockFilter
	for _, f := range all {
		test := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: f.bits}
		switch {
		case f.first != 0:
			test = unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: f.first}
		case f.bits == 0:
			test = unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA}
		}
		program = append(program, load(number), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: f.call},
			load(first), test, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(f.so)})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0) //nolint:gosec // as it takes it
}

// TestProgramsEndWithThisOne: when this program is killed, so are the programs it runs.
func TestProgramsEndWithThisOne(t *testing.T) {
	if _, ok := os.LookupEnv(attempting); ok {
		c := sh("echo $$ >&0; exec sleep 600")
		c.Input = os.Stdin
		_, err := newSandbox(t, Config{}).Run(t.Context(), c)
		t.Fatal(err)
	}
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() //nolint:errcheck // it was read
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestProgramsEndWithThisOne$")
	c.Env, c.Stdin = append(os.Environ(), attempting+"="), writer
	if err := errors.Join(c.Start(), writer.Close(), reader.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
		t.Fatal(err)
	}
	var program int
	if _, err := fmt.Fscanln(reader, &program); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	// The pipe closes with its last holder.
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if err := c.Wait(); err == nil {
		t.Error("it has ended by itself")
	}
	if _, err := unix.Wait4(program, nil, 0, nil); err != nil { // it has become ours
		t.Error(err)
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
