package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"atelier/storage"
)

// Check lists, writes and removes an object.
func (b *Blobs) Check(ctx context.Context) error {
	err := b.try(ctx)
	if err == nil || ctx.Err() != nil {
		return sort(ctx, err)
	}
	return b.fault(sort(ctx, err))
}

func (b *Blobs) try(ctx context.Context) error {
	bucket, name := aws.String(b.config.Bucket), b.name(".check-"+rand.Text()) // no key begins with a dot
	_, err := b.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: bucket, Prefix: name, MaxKeys: aws.Int32(1)})
	if err != nil {
		return err //nolint:wrapcheck // the caller sorts it
	}
	in := awss3.PutObjectInput{Bucket: bucket, Key: name, Body: strings.NewReader("x")}
	b.encrypt(&in)
	if _, err := b.client.PutObject(ctx, &in); err != nil {
		return err //nolint:wrapcheck // the same
	}
	_, err = b.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: bucket, Key: name})
	return err //nolint:wrapcheck // the same
}

// wrongCredentials are the codes for bad credentials, as opposed to missing permissions.
var wrongCredentials = []string{
	"ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "TokenRefreshRequired", "XAdminUserNotFound",
}

// fault explains a failed check.
func (b *Blobs) fault(err error) error {
	where := "The S3 server"
	if endpoint := aws.ToString(b.client.Options().BaseEndpoint); endpoint != "" {
		where += " at " + endpoint
	}
	say := func(kind error, format string, args ...any) error {
		return &storage.Fault{Kind: kind, Sentence: where + " " + fmt.Sprintf(format, args...), Err: err}
	}
	code, bucket := codeOf(err), b.config.Bucket
	region := []string{"AuthorizationHeaderMalformed", "IllegalLocationConstraint", "PermanentRedirect"}
	switch {
	case errors.Is(err, errNoCredentials):
		return say(storage.ErrRefused, "requires credentials, but none were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.")
	case code == "RequestTimeTooSkewed":
		return say(storage.ErrRefused, "refuses requests because this machine's clock is wrong: correct it.")
	case slices.Contains(wrongCredentials, code):
		return say(storage.ErrRefused, "does not accept the credentials (%s): "+
			"check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or AWS_PROFILE.", code)
	case errors.Is(err, storage.ErrRefused):
		return say(storage.ErrRefused, "does not let these credentials list, write and remove in the bucket %q: "+
			"give them s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads.", bucket)
	case errors.Is(err, storage.ErrNoBucket), errors.Is(err, storage.ErrNotFound):
		return say(storage.ErrNoBucket, "has no bucket %q: create it, or check its name and the endpoint.", bucket)
	case errors.Is(err, storage.ErrFull):
		return say(storage.ErrFull, "has no space left in the bucket %q.", bucket)
	case slices.Contains(region, code), statusOf(err) == http.StatusMovedPermanently:
		return say(storage.ErrUnfit, "keeps the bucket %q in another region: set AWS_REGION to that region.", bucket)
	case errors.Is(err, storage.ErrUnfit):
		return say(storage.ErrUnfit, "rejects a required operation (%s): check the bucket's name, the encryption and the endpoint.", code)
	case statusOf(err) != 0:
		return say(storage.ErrUnreachable, "fails with %d %s.", statusOf(err), code)
	default:
		return say(storage.ErrUnreachable, "cannot be reached: %s.", storage.Reason(err))
	}
}
