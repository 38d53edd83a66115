package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"atelier/storage"
)

// Put uploads a blob, in parts if it is large.
func (b *Blobs) Put(ctx context.Context, key string, r io.Reader) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	source := storage.NewSource(ctx, r)
	content := storage.ContentOf(key)
	in := &transfermanager.UploadObjectInput{
		Bucket: aws.String(b.config.Bucket), Key: b.name(key), Body: source,
		ContentType:          aws.String(content.Type),
		ServerSideEncryption: types.ServerSideEncryption(b.config.Encryption),
	}
	if b.config.KMSKey != "" {
		in.SSEKMSKeyID = aws.String(b.config.KMSKey)
	}
	_, err := b.uploads.UploadObject(ctx, in)
	switch {
	case source.Err() != nil:
		return fmt.Errorf("put %s: %w", key, source.Err())
	case err != nil:
		return fmt.Errorf("put %s: %w", key, sort(ctx, err))
	}
	return nil
}

// Link returns a presigned download URL.
func (b *Blobs) Link(ctx context.Context, key string, expiry time.Duration) (string, error) {
	if err := check(ctx, key); err != nil {
		return "", err
	}
	if err := storage.CheckLink(expiry); err != nil {
		return "", err
	}
	content := storage.ContentOf(key)
	in := &awss3.GetObjectInput{
		Bucket: aws.String(b.config.Bucket), Key: b.name(key),
		ResponseContentType:        aws.String(content.Type),
		ResponseContentDisposition: aws.String(content.Disposition(key)),
	}
	signed, err := b.presign.PresignGetObject(ctx, in, awss3.WithPresignExpires((expiry + time.Second - 1).Truncate(time.Second)))
	if err != nil {
		return "", fmt.Errorf("link to %s: %w", key, sort(ctx, err))
	}
	return signed.URL, nil
}

// Stat returns the metadata of an object.
func (b *Blobs) Stat(ctx context.Context, key string) (storage.Info, error) {
	if err := check(ctx, key); err != nil {
		return storage.Info{}, err
	}
	head, err := b.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: aws.String(b.config.Bucket), Key: b.name(key)})
	if err != nil {
		return storage.Info{}, fmt.Errorf("stat %s: %w", key, sort(ctx, err))
	}
	return storage.Info{Size: aws.ToInt64(head.ContentLength), Stored: aws.ToTime(head.LastModified)}, nil
}

// Delete removes an object.
func (b *Blobs) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	_, err := b.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: aws.String(b.config.Bucket), Key: b.name(key)})
	if err = sort(ctx, err); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// encrypt sets the encryption of a request that does not use the upload manager.
func (b *Blobs) encrypt(in *awss3.PutObjectInput) {
	in.ServerSideEncryption = s3types.ServerSideEncryption(b.config.Encryption)
	if b.config.KMSKey != "" {
		in.SSEKMSKeyId = aws.String(b.config.KMSKey)
	}
}
