// Package s3 keeps blobs in a bucket of Amazon S3, or of another server that speaks its
// protocol.
//
// Further guarantees:
//   - Uploads are streamed in parts, a few of which are in memory at a time. A failed Put
//     removes the parts that it has sent. Those of a process that died are removed by Expire and
//     DeleteAll, or by a lifecycle rule of the bucket.
//   - A download resumes after a broken connection, with the same blob.
//   - Temporary errors are retried as in the SDK's standard settings. A server that transfers no
//     byte for some time is given up.
//   - Once Put has returned, everybody sees the blob, as far as the server is consistent. Amazon
//     S3 and most others are.
//
// The bucket, or the prefix within it, must belong to Atelier alone: Expire removes old objects
// there. In a bucket with versions, deleted objects stay as versions until a lifecycle rule
// removes them.
//
// Credentials, region, endpoint, retries and certificates that the configuration does not set
// come from the SDK's standard variables, files and credential chain, with their usual
// precedence.
package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"

	"atelier/storage"
)

// Config configures Blobs.
type Config struct {
	// Bucket is its name. It is not created if it does not exist.
	Bucket string
	// Prefix is a folder for all objects: "atelier" or "bots/atelier". Empty means the whole
	// bucket.
	Prefix string
	// Region is the bucket's region; empty uses the SDK's standard settings.
	Region string
	// Endpoint is the URL of a server other than Amazon's; empty uses the SDK's standard settings
	// (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL).
	Endpoint string
	// LinkEndpoint is the server's URL for recipients of links, if it differs from Endpoint.
	LinkEndpoint string
	// HostStyle puts the bucket into the host name for servers other than Amazon's, too. Otherwise
	// it is in the path there.
	HostStyle bool
	// Encryption is the server-side encryption: "AES256", "aws:kms" or "aws:kms:dsse"; empty uses
	// the bucket's settings.
	Encryption string
	// KMSKey is the key for "aws:kms" and "aws:kms:dsse"; empty means the bucket's.
	KMSKey string
	// AccessKey, SecretKey and SessionToken are credentials. If AccessKey is empty, the SDK's
	// credential chain is used.
	AccessKey, SecretKey, SessionToken string
	// Stall is the timeout for a connection without any traffic; 0 means a minute.
	Stall time.Duration

	// For tests; nil uses the SDK's.
	backoff     retry.BackoffDelayer
	credentials aws.CredentialsProvider
}

// Blobs store blobs as objects in a bucket.
type Blobs struct {
	config    Config
	client    *awss3.Client
	uploads   *transfermanager.Client
	presign   *awss3.PresignClient
	sign      aws.CredentialsProvider
	transport *http.Transport
}

var (
	_ storage.Blobs   = (*Blobs)(nil)
	_ storage.Checker = (*Blobs)(nil)
)

const (
	// partSize is the size of the parts of an upload. There are at most 10,000 parts, so the
	// maximum size of a blob is 80 GiB.
	partSize = 8 << 20
	// together is the number of concurrent part uploads.
	together = 2
	// giveUp is the timeout for removing the parts of a failed Put.
	giveUp = 10 * time.Second
)

// New validates the settings and fails with a [*storage.Fault] if they are invalid. It does not
// connect. The caller must close the result.
func New(ctx context.Context, c Config) (*Blobs, error) {
	c.Prefix = strings.Trim(c.Prefix, "/")
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.AccessKey != "" {
		c.credentials = c.given()
	}
	if c.Stall == 0 {
		c.Stall = time.Minute
	}
	options := []func(*config.LoadOptions) error{
		config.WithRegion(c.Region), config.WithCredentialsProvider(c.credentials), config.WithLogger(logging.Nop{}),
	}
	if c.backoff != nil {
		options = append(options, config.WithRetryer(func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.Backoff = c.backoff })
		}))
	}
	sdk, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, &storage.Fault{Sentence: "The settings of the AWS SDK (AWS_* and its files) cannot be read.", Err: err}
	}
	b := &Blobs{config: c, sign: credentials{sdk.Credentials}}
	b.transport = newTransport(sdk.HTTPClient, c.Stall)
	sdk.HTTPClient = newClient(b.transport)
	sdk.Credentials = b.sign

	b.client = awss3.NewFromConfig(sdk, c.apply(c.Endpoint))
	other := b.client.Options().BaseEndpoint != nil
	if b.client.Options().Region == "" {
		if !other {
			return nil, &storage.Fault{Sentence: fmt.Sprintf("The region of the bucket %q is unknown: set AWS_REGION.", c.Bucket)}
		}
		sdk.Region = "us-east-1" // other servers usually expect this, if anything
	}
	link := c.LinkEndpoint
	if link == "" {
		link = aws.ToString(b.client.Options().BaseEndpoint)
	}
	b.client = awss3.NewFromConfig(sdk, c.apply(aws.ToString(b.client.Options().BaseEndpoint)))
	b.presign = awss3.NewPresignClient(awss3.NewFromConfig(sdk, c.apply(link)))
	b.uploads = transfermanager.New(b.client, func(o *transfermanager.Options) {
		o.PartSizeBytes, o.MultipartUploadThreshold, o.Concurrency = partSize, partSize, together
		o.FailTimeout = giveUp
		if other {
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		}
	})
	return b, nil
}

// Validate checks the settings without connecting. Errors have the type [*storage.Fault].
func (c Config) Validate() error {
	c.Prefix = strings.Trim(c.Prefix, "/")
	wrong := func(format string, args ...any) error { return &storage.Fault{Sentence: fmt.Sprintf(format, args...)} }
	if c.Bucket == "" || strings.ContainsAny(c.Bucket, "/: \t\n") {
		return wrong("The bucket is %q: expected the name of an S3 bucket, such as atelier-media.", c.Bucket)
	}
	if c.Prefix != "" && (storage.CheckKey(c.Prefix) != nil || len(c.Prefix) > 400) {
		return wrong("The prefix in the bucket is %q: expected the name of a folder, such as bots/atelier.", c.Prefix)
	}
	for what, endpoint := range map[string]string{"The endpoint of the S3 server": c.Endpoint, "The endpoint of links to the S3 server": c.LinkEndpoint} {
		u, err := url.Parse(endpoint)
		plain := err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
		if endpoint == "" || plain && (u.Scheme == "http" || u.Scheme == "https") {
			continue
		}
		if err == nil {
			endpoint = u.Redacted()
		}
		return wrong("%s is %q: expected a URL such as https://s3.example.org:9000.", what, endpoint)
	}
	switch encryption := types.ServerSideEncryption(c.Encryption); {
	case encryption == types.ServerSideEncryptionAwsKms, encryption == types.ServerSideEncryptionAwsKmsDsse:
	case c.KMSKey != "":
		return wrong("A KMS key is set for the S3 server, but the encryption is %q: expected aws:kms or aws:kms:dsse.", c.Encryption)
	case encryption != "" && encryption != types.ServerSideEncryptionAes256:
		return wrong("The encryption by the S3 server is %q: expected AES256, aws:kms or aws:kms:dsse.", c.Encryption)
	}
	return nil
}

// apply configures a client for an endpoint, which is Amazon's if it is empty. For other servers it
// disables features that they may not support.
func (c Config) apply(endpoint string) func(*awss3.Options) {
	return func(o *awss3.Options) {
		o.DisableLogOutputChecksumValidationSkipped = true
		if endpoint == "" {
			return
		}
		o.BaseEndpoint = aws.String(endpoint)
		o.UsePathStyle = !c.HostStyle
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	}
}

// Close closes the connections.
func (b *Blobs) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// name returns the name of an object.
func (b *Blobs) name(key string) *string { return aws.String(path.Join(b.config.Prefix, key)) }

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(key)
}

// given returns the credentials of the configuration.
func (c Config) given() aws.CredentialsProviderFunc {
	return func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: c.AccessKey, SecretAccessKey: c.SecretKey, SessionToken: c.SessionToken, Source: "settings"}, nil
	}
}

// credentials are the SDK's, with a recognisable error.
type credentials struct{ aws.CredentialsProvider }

// errNoCredentials means that the credential chain is empty.
var errNoCredentials = errors.New("no credentials were found")

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return found, fmt.Errorf("%w: %w", errNoCredentials, err)
	}
	return found, nil
}
