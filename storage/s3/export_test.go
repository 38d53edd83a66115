package s3

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// PartSize is that of the parts of an upload.
const PartSize = partSize

// With is the setting with these credentials, whatever this machine has, and without
// waits before something is tried again.
func (c Config) With(key, secret string) Config {
	c.credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
	})
	c.backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	return c
}

// Without is the setting on a machine that has no credentials.
func (c Config) Without() Config {
	c = c.With("", "")
	c.credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("nothing in the chain has any")
	})
	return c
}

// Begin begins an upload and leaves it, as a process that dies does.
func (b *Blobs) Begin(ctx context.Context, key string) error {
	_, err := b.client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{Bucket: aws.String(b.config.Bucket), Key: b.name(key)})
	return err
}
