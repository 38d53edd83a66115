package s3_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/storage"
	"atelier/storage/s3"
	"atelier/storage/s3/s3test"
)

func TestBadSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config s3.Config
		says   string
	}{
		"no bucket":       {s3.Config{}, `The bucket is ""`},
		"a URL":           {s3.Config{Bucket: "s3://bucket"}, `The bucket is "s3://bucket"`},
		"two buckets":     {s3.Config{Bucket: "a b"}, "expected the name of an S3 bucket"},
		"prefix":          {s3.Config{Bucket: "bucket", Prefix: "a//b"}, `The prefix in the bucket is "a//b"`},
		"long prefix":     {s3.Config{Bucket: "bucket", Prefix: strings.Repeat("long/", 81)}, "expected the name of a folder"},
		"endpoint":        {s3.Config{Bucket: "bucket", Endpoint: "minio:9000"}, `The endpoint of the S3 server is "minio:9000"`},
		"endpoint's host": {s3.Config{Bucket: "bucket", Endpoint: "http://"}, "a URL such as"},
		"endpoint's user": {s3.Config{Bucket: "bucket", Endpoint: "http://user" + ":pass@minio:9000"}, `is "http://user:xxxxx@minio:9000"`},
		"link endpoint":   {s3.Config{Bucket: "bucket", LinkEndpoint: "x"}, `The endpoint of links to the S3 server is "x"`},
		"encryption":      {s3.Config{Bucket: "bucket", Encryption: "rot13"}, "expected AES256, aws:kms or aws:kms:dsse"},
		"key without kms": {s3.Config{Bucket: "bucket", Encryption: "AES256", KMSKey: "k"}, "A KMS key is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := s3.New(t.Context(), c.config.With("key", "secret"))
			fault, ok := errors.AsType[*storage.Fault](err)
			if !ok || !strings.Contains(fault.Sentence, c.says) || !strings.HasSuffix(fault.Sentence, ".") {
				t.Errorf("%v, %v", b, err)
			}
		})
	}
}

// bare removes all settings of the SDK from this machine, except these.
func bare(t *testing.T, settings map[string]string) {
	t.Helper()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE",
		"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	} {
		t.Setenv(name, settings[name])
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

func TestStandardVariables(t *testing.T) { //nolint:paralleltest // it sets variables
	server := s3test.New(t, s3test.Config{Region: "eu-central-1"})
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		bare(t, map[string]string{name: server.URL(), "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-central-1"})
		b := open(t, s3.Config{Bucket: "bucket"})
		if err := b.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := b.Put(t.Context(), "k", strings.NewReader("x")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoCredentialsInTheChain(t *testing.T) { //nolint:paralleltest // it sets variables
	bare(t, map[string]string{"AWS_REGION": "eu-central-1"})
	server := s3test.New(t, s3test.Config{})
	err := open(t, s3.Config{Bucket: "bucket", Endpoint: server.URL()}).Check(t.Context())
	if fault, ok := errors.AsType[*storage.Fault](err); !ok || !errors.Is(err, storage.ErrRefused) || !strings.Contains(fault.Sentence, "none were found") {
		t.Errorf("the check: %v", err)
	}
}

func TestRegionMustBeKnown(t *testing.T) { //nolint:paralleltest // it sets variables
	bare(t, nil)
	_, err := s3.New(t.Context(), s3.Config{Bucket: "bucket"})
	if fault, ok := errors.AsType[*storage.Fault](err); !ok || !strings.Contains(fault.Sentence, "set AWS_REGION") {
		t.Errorf("no region: %v", err)
	}
}

func TestBrokenSettingsOfTheSDK(t *testing.T) { //nolint:paralleltest // it sets variables
	bare(t, map[string]string{"AWS_PROFILE": "none such"})
	_, err := s3.New(t.Context(), s3.Config{Bucket: "bucket"})
	if fault, ok := errors.AsType[*storage.Fault](err); !ok || !strings.Contains(fault.Sentence, "settings of the AWS SDK") {
		t.Errorf("a profile that is not there: %v", err)
	}
}

// TestLinksAreForWhoGetsThem checks that links have the address at which people reach the server, and need nothing
// that a browser does not send.
func TestLinksAreForWhoGetsThem(t *testing.T) { //nolint:paralleltest // it sets variables
	bare(t, nil)
	for name, c := range map[string]struct {
		config s3.Config
		begins string
	}{
		"Amazon's":     {s3.Config{Region: "eu-central-1"}, "https://media.s3.eu-central-1.amazonaws.com/bots/a%20b.png?"},
		"another":      {s3.Config{Endpoint: "http://minio:9000"}, "http://minio:9000/media/bots/a%20b.png?"},
		"with a path":  {s3.Config{Endpoint: "https://x.example.org/storage/s3"}, "https://x.example.org/storage/s3/media/bots/a%20b.png?"},
		"by host":      {s3.Config{Endpoint: "https://s3.example.org", HostStyle: true}, "https://media.s3.example.org/bots/a%20b.png?"},
		"from outside": {s3.Config{Endpoint: "http://minio:9000", LinkEndpoint: "https://files.example.org"}, "https://files.example.org/media/bots/a%20b.png?"},
	} {
		c.config.Bucket, c.config.Prefix = "media", "/bots/"
		b := open(t, c.config.With("key", "secret"))
		link, err := b.Link(t.Context(), "a b.png", 90*time.Minute+time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(link, c.begins) {
			t.Errorf("%s: %s", name, link)
		}
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if q := u.Query(); q.Get("X-Amz-SignedHeaders") != "host" || q.Get("X-Amz-Expires") != "5401" {
			t.Errorf("%s: %s", name, link)
		}
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	c := to(server)
	whole := open(t, c)
	c.Prefix = "bots/one/"
	one := open(t, c)
	c.Prefix = "bots/one2"
	two := open(t, c)
	for _, b := range []*s3.Blobs{whole, one, two} {
		if err := b.Put(t.Context(), "a/k.png", strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.Objects(); !slices.Equal(got, []string{"a/k.png", "bots/one/a/k.png", "bots/one2/a/k.png"}) {
		t.Errorf("the bucket holds %v", got)
	}
	if err := two.DeleteAll(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if n, err := one.Expire(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("expire: %d, %v", n, err)
	}
	if got := server.Objects(); !slices.Equal(got, []string{"a/k.png"}) {
		t.Errorf("the bucket holds %v", got)
	}
}

func TestEncryption(t *testing.T) {
	t.Parallel()
	server := s3test.New(t, s3test.Config{})
	for _, want := range [][2]string{{"", ""}, {"AES256", ""}, {"aws:kms", ""}, {"aws:kms", "arn:aws:kms:eu:1:key/2"}} {
		c := to(server)
		c.Encryption, c.KMSKey = want[0], want[1]
		b := open(t, c)
		if err := b.Check(t.Context()); err != nil {
			t.Error(err)
		}
		for _, content := range []string{"x", strings.Repeat("x", 2*s3.PartSize)} {
			if err := b.Put(t.Context(), "k", strings.NewReader(content)); err != nil {
				t.Error(err)
			}
			if encryption, key := server.Encryption("k"); encryption != want[0] || key != want[1] {
				t.Errorf("it is encrypted by %q, %q", encryption, key)
			}
		}
	}
}

// FuzzKeys checks that any valid key names an object, and that its link finds it.
func FuzzKeys(f *testing.F) {
	server := s3test.New(f, s3test.Config{})
	for _, key := range []string{"a", "a/b.png", "Größe/ä b+c%20#&=;,'~!@$^()[]{}.png", "%2e%2e/x", "a?until=9", "日本/語", " ", "a b/ c ", "+", "%"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if storage.CheckKey(key) != nil {
			return
		}
		b := open(t, to(server))
		if err := b.Put(t.Context(), key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
		if info, err := b.Stat(t.Context(), key); err != nil || info.Size != int64(len(key)) {
			t.Errorf("stat: %+v, %v", info, err)
		}
		if got := server.Objects(); !slices.Equal(got, []string{key}) {
			t.Errorf("the bucket holds %q", got)
		}
		if n, err := b.Expire(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
			t.Errorf("expire: %d, %v", n, err)
		}
	})
}
