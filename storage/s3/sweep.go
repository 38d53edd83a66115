package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"atelier/storage"
)

// DeleteAll removes everything below a folder, including unfinished and leftover uploads.
func (b *Blobs) DeleteAll(ctx context.Context, folder string) error {
	if err := check(ctx, folder); err != nil {
		return err
	}
	// Uploads first: if one completes in between, it is an object then.
	below := *b.name(folder) + "/"
	err := b.abort(ctx, below, func(*time.Time) bool { return true })
	_, failed := b.remove(ctx, below, func(*time.Time) bool { return true })
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("delete everything of %s: %w", folder, err)
	}
	return nil
}

// Expire removes objects stored before a time.
func (b *Blobs) Expire(ctx context.Context, before time.Time) (int, error) {
	below := ""
	if b.config.Prefix != "" {
		below = b.config.Prefix + "/"
	}
	wanted := func(at *time.Time) bool { return at != nil && at.Before(before) }
	err := b.abort(ctx, below, wanted)
	n, failed := b.remove(ctx, below, wanted)
	if err = errors.Join(err, failed); err != nil {
		return n, fmt.Errorf("remove expired objects: %w", err)
	}
	return n, nil
}

// remove deletes objects page by page. It continues after errors.
func (b *Blobs) remove(ctx context.Context, below string, wanted func(*time.Time) bool) (gone int, err error) {
	pages := awss3.NewListObjectsV2Paginator(b.client, &awss3.ListObjectsV2Input{Bucket: aws.String(b.config.Bucket), Prefix: aws.String(below)})
	var failed error
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return gone, errors.Join(failed, sort(ctx, err))
		}
		var those []types.ObjectIdentifier
		for _, o := range page.Contents {
			if wanted(o.LastModified) {
				those = append(those, types.ObjectIdentifier{Key: o.Key})
			}
		}
		if len(those) == 0 {
			continue
		}
		out, err := b.client.DeleteObjects(ctx, &awss3.DeleteObjectsInput{
			Bucket: aws.String(b.config.Bucket),
			Delete: &types.Delete{Objects: those, Quiet: aws.Bool(true)},
		})
		if err != nil {
			return gone, errors.Join(failed, sort(ctx, err))
		}
		gone += len(those) - len(out.Errors)
		if len(out.Errors) > 0 {
			code := aws.ToString(out.Errors[0].Code)
			failed = errors.Join(failed, kindOf(code, 0), fmt.Errorf("%d objects were not removed: %s", len(out.Errors), code))
		}
	}
	return gone, failed
}

// abort aborts unfinished uploads. Servers that cannot list them must remove them themselves.
func (b *Blobs) abort(ctx context.Context, below string, wanted func(*time.Time) bool) error {
	pages := awss3.NewListMultipartUploadsPaginator(b.client, &awss3.ListMultipartUploadsInput{
		Bucket: aws.String(b.config.Bucket), Prefix: aws.String(below),
	})
	var failed []error
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if status := statusOf(err); status == http.StatusNotImplemented || status == http.StatusMethodNotAllowed {
			break
		}
		if err != nil {
			return errors.Join(append(failed, sort(ctx, err))...)
		}
		for _, u := range page.Uploads {
			if !wanted(u.Initiated) {
				continue
			}
			_, err := b.client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{
				Bucket: aws.String(b.config.Bucket), Key: u.Key, UploadId: u.UploadId,
			})
			if err = sort(ctx, err); err != nil && !errors.Is(err, storage.ErrNotFound) {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}
