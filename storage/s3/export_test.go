package s3

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// PartSize is the size of the parts of an upload.
const PartSize = partSize

// With returns the configuration with these credentials, whatever this machine's are, and without waits between
// attempts.
func (c Config) With(key, secret string) Config {
	c.credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
	})
	c.backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	return c
}

// Without returns the configuration on a machine without credentials.
func (c Config) Without() Config {
	c = c.With("", "")
	c.credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("nothing in the chain has any")
	})
	return c
}

// Begin begins an upload and leaves it, like a process that dies.
func (b *Blobs) Begin(ctx context.Context, key string) error {
	_, err := b.client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{Bucket: aws.String(b.config.Bucket), Key: b.name(key)})
	return err
}
