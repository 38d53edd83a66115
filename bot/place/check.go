package place

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/agent/plan"
	"atelier/bot/control"
	"atelier/bot/fault"
	"atelier/bot/settings"
	"atelier/storage"
)

// Check checks all parts of the place, each with a timeout. Parts that cannot be used are reported
// together, as a usage error.
func Check(ctx context.Context, c settings.Config, p *Place, each time.Duration, log *slog.Logger) error {
	failed := CheckAll(ctx, p.Parts(), each)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		err := failed[name]
		log.DebugContext(ctx, "a required part cannot be used", "part", name, "error", plan.ForOperator(err))
		if _, told := errors.AsType[*storage.Fault](err); !told && errors.Is(err, context.DeadlineExceeded) {
			wrong = append(wrong, silent(c, name, p.Redis, each))
			continue
		}
		wrong = append(wrong, Unusable(ctx, err).Error())
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Usage("%s", strings.Join(wrong, fault.SettingsSeparator))
}

// silent is the sentence about a part that does not answer.
func silent(c settings.Config, part string, client goredis.UniversalClient, within time.Duration) string {
	switch {
	case part == "blobs" && c.Storage.S3.Bucket != "":
		return fmt.Sprintf("The S3 server of the bucket %q does not answer within %s: check AWS_ENDPOINT_URL_S3 and AWS_REGION.",
			c.Storage.S3.Bucket, settings.FormatDuration(within))
	case part == "state" && c.Storage.RedisURL != "":
		more := "check its host and its port"
		if url := strings.ToLower(string(c.Storage.RedisURL)); strings.HasPrefix(url, "rediss") || strings.HasPrefix(url, "valkeys") {
			more += ", and whether it speaks TLS"
		}
		return fmt.Sprintf("The Redis of REDIS_URL%s does not answer within %s: %s.", RedisAddress(client), settings.FormatDuration(within), more)
	}
	return fmt.Sprintf("The data folder does not answer within %s (%s): check the disk of %s.", settings.FormatDuration(within), part, c.Data)
}

// Unusable turns a storage error into a usage error, since the operator must fix it.
func Unusable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return fault.Usage("%s", f.Sentence)
	}
	return err
}

// unusableFolder adds to an error of the data folder its path, the process that uses it, and the setting
// that changes it. The storage does not know these.
func unusableFolder(ctx context.Context, c settings.Config, err error) error {
	fault, ok := errors.AsType[*storage.Fault](err)
	if !ok || ctx.Err() != nil {
		return err
	}
	says := fmt.Sprintf("The data folder is %s: %s", c.Data, fault.Sentence)
	if _, unwritable := Writable(c.Data); unwritable != nil {
		says = UnwritableFolder(c.Data, unwritable)
	} else if errors.Is(err, syscall.EWOULDBLOCK) {
		by := "another process of this program"
		if r := control.FindRunning(ctx, c.Data); r.Is() {
			by = r.Who()
		}
		says = fmt.Sprintf("The data folder %s is in use by %s: stop that one, or set ATELIER_DATA to another folder.", c.Data, by)
	}
	return &storage.Fault{Sentence: says, Kind: fault.Kind, Err: err}
}

// CheckAll runs all checks at once, with a timeout, and returns the errors by name.
func CheckAll(ctx context.Context, parts map[string]func(context.Context) error, each time.Duration) map[string]error {
	ctx, stop := context.WithTimeout(ctx, each)
	defer stop()
	var mu sync.Mutex
	var all sync.WaitGroup
	failed := map[string]error{}
	for name, check := range parts {
		all.Go(func() {
			if err := check(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[name] = err
			}
		})
	}
	all.Wait()
	return failed
}
