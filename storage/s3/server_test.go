package s3_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"atelier/storage"
	"atelier/storage/s3"
	"atelier/storage/storagetest"
)

// named returns the configuration of the server that TEST_S3_ENDPOINT names, with the credentials of AWS_* and the
// bucket of TEST_S3_BUCKET, which is created if it does not exist.
func named(t *testing.T) s3.Config {
	t.Helper()
	c := s3.Config{Endpoint: os.Getenv("TEST_S3_ENDPOINT"), Bucket: os.Getenv("TEST_S3_BUCKET")}
	if c.Endpoint == "" {
		t.Skip("nothing was run on a real S3 server: TEST_S3_ENDPOINT names none")
	}
	if c.Bucket == "" {
		c.Bucket = "atelier-test"
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	sdk, err := config.LoadDefaultConfig(t.Context(), config.WithDefaultRegion("us-east-1"))
	if err != nil {
		t.Fatal(err)
	}
	client := awss3.NewFromConfig(sdk, func(o *awss3.Options) {
		o.BaseEndpoint, o.UsePathStyle, o.HTTPClient = aws.String(c.Endpoint), true, &http.Client{Transport: transport}
	})
	_, err = client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(c.Bucket)})
	if exists, ok := errors.AsType[smithy.APIError](err); err != nil && (!ok || !strings.HasPrefix(exists.ErrorCode(), "BucketAlready")) {
		t.Fatal(err)
	}
	return c
}

// own opens the test's own part of the bucket.
func own(t *testing.T, c s3.Config) *s3.Blobs {
	t.Helper()
	c.Prefix = "test-" + rand.Text()
	b := open(t, c)
	t.Cleanup(func() {
		if _, err := b.Expire(context.Background(), time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestRealBlobs(t *testing.T) {
	t.Parallel()
	c := named(t)
	storagetest.Blobs(t, storagetest.BlobsMake{Large: s3.PartSize, FolderStays: true, Open: func(t *testing.T) storage.Blobs {
		t.Helper()
		return own(t, c)
	}})
}

func TestRealCheck(t *testing.T) {
	t.Parallel()
	c := named(t)
	if err := own(t, c).Check(t.Context()); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]struct {
		config s3.Config
		kind   error
		says   string
	}{
		"bucket": {s3.Config{Endpoint: c.Endpoint, Bucket: "atelier-none-such"}, storage.ErrNoBucket, `has no bucket "atelier-none-such"`},
		"key":    {s3.Config{Endpoint: c.Endpoint, Bucket: c.Bucket}.With("nobody", "secret"), storage.ErrRefused, "does not accept the credentials ("},
		"secret": {s3.Config{Endpoint: c.Endpoint, Bucket: c.Bucket}.With(os.Getenv("AWS_ACCESS_KEY_ID"), "wrong"), storage.ErrRefused, "does not accept the credentials (SignatureDoesNotMatch)"},
		"region": {s3.Config{Endpoint: c.Endpoint, Bucket: c.Bucket, Region: "eu-central-1"}, storage.ErrUnfit, "in another region"},
	} {
		err := open(t, change.config).Check(t.Context())
		fault, ok := errors.AsType[*storage.Fault](err)
		if !ok || !errors.Is(err, change.kind) || !strings.Contains(fault.Sentence, change.says) {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
}

// TestRealPages sweeps more objects than fit into a page of a list, and into a request for deletion.
func TestRealPages(t *testing.T) {
	t.Parallel()
	b := own(t, named(t))
	const many = 1203
	var all sync.WaitGroup
	next := make(chan int)
	for range 8 {
		all.Go(func() {
			for i := range next {
				if err := b.Put(t.Context(), fmt.Sprintf("thread/%d", i), strings.NewReader("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range many {
		next <- i
	}
	close(next)
	all.Wait()
	if n, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); err != nil || n != many {
		t.Errorf("%d of %d went: %v", n, many, err)
	}
	if _, err := b.Stat(t.Context(), "thread/7"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
}
