package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"atelier/agent/plan"
	"atelier/storage"
)

// checkPlace asks all parts of the place, each of which has so long to answer. All that cannot
// be used is told at once, as wrong usage.
func checkPlace(ctx context.Context, c Config, p *place, each time.Duration, log *slog.Logger) error {
	failed := checkAll(ctx, p.parts(), each)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		err := failed[name]
		log.DebugContext(ctx, "what is relied on cannot be used", "part", name, "error", plan.ForOperator(err))
		if _, told := errors.AsType[*storage.Fault](err); !told && errors.Is(err, context.DeadlineExceeded) {
			wrong = append(wrong, silent(c, name, p.Redis, each))
			continue
		}
		wrong = append(wrong, unusablePlace(ctx, err).Error())
	}
	if len(wrong) == 0 {
		return nil
	}
	return usage("%s", strings.Join(wrong, wrongSettingsApart))
}

// silent says of a part that it does not answer.
func silent(c Config, part string, client goredis.UniversalClient, within time.Duration) string {
	switch {
	case part == "blobs" && c.Storage.S3.Bucket != "":
		return fmt.Sprintf("The S3 server of the bucket %q does not answer within %s: check AWS_ENDPOINT_URL_S3 and AWS_REGION.",
			c.Storage.S3.Bucket, spelt(within))
	case part == "state" && c.Storage.RedisURL != "":
		more := "check its host and its port"
		if url := strings.ToLower(string(c.Storage.RedisURL)); strings.HasPrefix(url, "rediss") || strings.HasPrefix(url, "valkeys") {
			more += ", and whether it speaks TLS"
		}
		return fmt.Sprintf("The Redis of REDIS_URL%s does not answer within %s: %s.", redisAddress(client), spelt(within), more)
	}
	return fmt.Sprintf("What ATELIER_DATA is to keep is not kept within %s (%s): look after the disk of %s.", spelt(within), part, c.Data)
}

// unusablePlace is a fault of where things are kept, which who starts the program must
// put right first.
func unusablePlace(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f, ok := errors.AsType[*storage.Fault](err); ok {
		return usage("%s", f.Sentence)
	}
	return err
}

// unusableFolder says which folder it is that cannot be used, who has it, and by which
// setting it can be another one. The storage knows of none of that.
func unusableFolder(ctx context.Context, c Config, err error) error {
	fault, ok := errors.AsType[*storage.Fault](err)
	if !ok || ctx.Err() != nil {
		return err
	}
	says := fmt.Sprintf("The data folder is %s: %s", c.Data, fault.Sentence)
	if _, unwritable := writable(c.Data); unwritable != nil {
		says = unwritableFolder(c.Data, unwritable)
	} else if errors.Is(err, syscall.EWOULDBLOCK) {
		by := "another process of this program"
		if r := examineRunning(ctx, c.Data); r.is() {
			by = r.who()
		}
		says = fmt.Sprintf("The data folder %s is in use by %s: stop that one, or set ATELIER_DATA to another folder.", c.Data, by)
	}
	return &storage.Fault{Sentence: says, Kind: fault.Kind, Err: err}
}

// unwritableFolder says of the data folder that nothing can be written there.
func unwritableFolder(folder string, err error) string {
	return fmt.Sprintf("%s cannot be written to (%s): make it writable, or set ATELIER_DATA to another one.", folder, cause(err))
}
