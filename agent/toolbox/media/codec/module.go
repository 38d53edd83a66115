package codec

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

const (
	// memoryLimit is the maximum memory of a module for one picture, in pages of 64 kB.
	memoryLimit = 2 << 30 >> 16
	// timeLimit is the timeout for one picture.
	timeLimit = 3 * time.Minute
)

var (
	errMemory = errors.New("the picture needs too much memory")
	errFailed = errors.New("the library cannot process the picture")
)

// module is a library compiled to WebAssembly. It is compiled to machine code on first use, and
// instantiated for each picture.
type module struct {
	load func() (*loaded, error)
}

type loaded struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

func newModule(packed []byte) *module {
	return &module{sync.OnceValues(func() (*loaded, error) {
		l, err := load(packed)
		if err != nil {
			return nil, fmt.Errorf("load a picture library: %w", err)
		}
		return l, nil
	})}
}

func load(packed []byte) (*loaded, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err //nolint:wrapcheck // newModule wraps it
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err //nolint:wrapcheck // the same
	}
	ctx := context.Background() // the compiled module outlives the picture that first needs it
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryLimit).WithDebugInfoEnabled(false)
	l := &loaded{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, l.runtime); err != nil {
		return nil, err //nolint:wrapcheck // the same
	}
	l.compiled, err = l.runtime.CompileModule(ctx, code)
	return l, err //nolint:wrapcheck // the same
}

// instance is a module instance for one picture.
type instance struct {
	ctx context.Context //nolint:containedctx // it lives as long as the call
	mod api.Module
}

// use runs the module on one picture. Its memory is freed at the end, so do must copy what it keeps.
// If ctx ends first, do may keep running for a moment, and the caller must not read what it sets.
func (m *module) use(ctx context.Context, do func(instance) error) error {
	l, err := m.load()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	if err := limited.Err(); err != nil {
		return err
	}
	space := &space{}
	inner := experimental.WithMemoryAllocator(context.WithoutCancel(ctx),
		experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
			space.most = most
			return space
		}))
	mod, err := l.runtime.InstantiateModule(inner, l.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return fmt.Errorf("start a picture library: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		err := guarded(do, instance{inner, mod})
		done <- errors.Join(err, mod.Close(inner))
	}()
	select {
	case err := <-done:
		return err
	case <-limited.Done():
		space.wipe(done)
		return limited.Err()
	}
}

// guarded turns a panic into an error, since a panic on this goroutine would end the program.
func guarded(do func(instance) error, i instance) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a picture library: %v", p)
		}
	}()
	return do(i)
}

// call calls a function that returns one number.
func (i instance) call(name string, args ...uint64) (uint32, error) {
	res, err := i.mod.ExportedFunction(name).Call(i.ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return uint32(res[0]), nil
}

// room allocates n zeroed bytes in the module.
func (i instance) room(n int) (uint32, error) {
	if n <= 0 || int64(n) > memoryLimit<<16 {
		return 0, errMemory
	}
	at, err := i.call("malloc", uint64(n))
	if err != nil {
		return 0, err
	}
	b, ok := i.mod.Memory().Read(at, uint32(n))
	if at == 0 || !ok {
		return 0, errMemory
	}
	clear(b)
	return at, nil
}

// put copies bytes into the module.
func (i instance) put(b []byte) (uint32, error) {
	at, err := i.room(len(b))
	if err == nil && !i.mod.Memory().Write(at, b) {
		err = errMemory
	}
	return at, err
}

// bytes returns n bytes of the module's memory, without copying.
func (i instance) bytes(at uint32, n int) ([]byte, error) {
	if n < 0 || int64(n) > memoryLimit<<16 {
		return nil, errMemory
	}
	b, ok := i.mod.Memory().Read(at, uint32(n))
	if !ok {
		return nil, errMemory
	}
	return b, nil
}

// numbers reads consecutive 32-bit numbers from the module's memory.
func (i instance) numbers(at uint32, into ...*uint32) error {
	for k, n := range into {
		v, ok := i.mod.Memory().ReadUint32Le(at + 4*uint32(k))
		if !ok {
			return errMemory
		}
		*n = v
	}
	return nil
}
