package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"atelier/storage"
)

// Get opens a blob.
func (b *Blobs) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	return b.GetRange(ctx, key, 0, -1)
}

// GetRange opens a part of a blob.
func (b *Blobs) GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	if offset < 0 {
		return nil, fmt.Errorf("get %s: the offset %d is negative", key, offset)
	}
	if n == 0 { // the protocol has no empty ranges
		if _, err := b.Stat(ctx, key); err != nil {
			return nil, err
		}
		return io.NopCloser(strings.NewReader("")), nil
	}
	end := int64(math.MaxInt64)
	if n > 0 && n <= math.MaxInt64-offset {
		end = offset + n
	}
	d := &download{ctx: ctx, b: b, in: awss3.GetObjectInput{Bucket: aws.String(b.config.Bucket), Key: b.name(key)}, at: offset, end: end}
	switch err := d.open(); {
	case statusOf(err) == http.StatusRequestedRangeNotSatisfiable: // the blob ends before
		return io.NopCloser(strings.NewReader("")), nil
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", key, sort(ctx, err))
	}
	return d, nil
}

// download is the rest of a blob or of a range of it.
type download struct {
	ctx  context.Context //nolint:containedctx // it lives only as long as the read
	b    *Blobs
	in   awss3.GetObjectInput
	body io.ReadCloser
	at   int64 // of the next byte
	end  int64 // of the byte after the last
	idle int   // how often it was reopened without receiving a byte
}

// tries is how often a download is reopened without receiving a byte.
const tries = 3

// Read reads on, and resumes the same blob if the connection breaks.
func (d *download) Read(p []byte) (int, error) {
	for {
		if err := d.ctx.Err(); err != nil {
			return 0, err
		}
		n, err := d.body.Read(p)
		d.at += int64(n)
		if n > 0 {
			d.idle = 0
		}
		if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return n, err //nolint:wrapcheck // io.EOF must not be wrapped
		}
		if d.ctx.Err() != nil || d.at >= d.end || d.in.IfMatch == nil || d.idle == tries {
			return n, sort(d.ctx, err)
		}
		d.idle++
		_ = d.body.Close() //nolint:errcheck // it is broken
		d.body = http.NoBody
		if err := d.open(); err != nil {
			return n, sort(d.ctx, err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

// Close closes the connection.
func (d *download) Close() error {
	_ = d.body.Close() //nolint:errcheck // the rest is not needed
	return nil
}

// open requests the rest.
func (d *download) open() error {
	d.in.Range = nil
	if d.end != math.MaxInt64 {
		d.in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", d.at, d.end-1))
	} else if d.at > 0 {
		d.in.Range = aws.String(fmt.Sprintf("bytes=%d-", d.at))
	}
	out, err := d.b.client.GetObject(d.ctx, &d.in)
	if err != nil {
		return err //nolint:wrapcheck // the caller sorts it
	}
	if d.in.Range != nil && out.ContentRange == nil && aws.ToInt64(out.ContentLength) != 0 {
		return errors.Join(storage.ErrUnfit, errors.New("the server does not support ranges"), out.Body.Close())
	}
	d.body = out.Body
	if out.ContentLength != nil {
		d.end = d.at + *out.ContentLength
	}
	d.in.IfMatch = out.ETag // ensures the same version when it is reopened
	return nil
}
