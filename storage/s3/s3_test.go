package s3_test

import (
	"testing"

	"go.uber.org/goleak"

	"atelier/storage"
	"atelier/storage/s3"
	"atelier/storage/s3/s3test"
	"atelier/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, c s3.Config) *s3.Blobs {
	t.Helper()
	b, err := s3.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	storagetest.Blobs(t, storagetest.BlobsMake{Large: s3.PartSize, Open: func(t *testing.T) storage.Blobs {
		t.Helper()
		server := s3test.New(t, s3test.Config{Page: 3})
		return open(t, s3.Config{Bucket: "bucket", Endpoint: server.URL()}.With("key", "secret"))
	}})
}
