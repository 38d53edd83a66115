package settings

import (
	"cmp"
	"errors"
	"strings"

	"atelier/storage"
	"atelier/storage/redis"
	"atelier/storage/s3"
)

// Storage holds the settings for storage.
type Storage struct {
	// RedisURL is empty for the embedded default.
	RedisURL secret
	// S3 has no bucket if the files are in the data folder. Its credentials are the secrets below.
	S3                                 s3.Config
	AccessKey, SecretKey, SessionToken secret
}

// storageSettings are the settings for storage outside the process.
func storageSettings() []setting {
	return []setting{
		{
			name: "REDIS_URL", secret: true, // it may hold a password
			about: "Redis 7 or newer, or Valkey, which lets any number of processes share the work: redis://localhost:6379/0, rediss://… for " +
				"TLS, unix:///run/redis.sock, redis+sentinel://HOST,HOST?master=NAME or redis+cluster://HOST,HOST. If empty, the queues are " +
				"in the process itself.",
			set: func(c *Config, v string) error { c.Storage.RedisURL = secret(v); return redisURL(v) },
		}, {
			name: "S3_BUCKET", about: "The bucket for files, on S3 or a compatible server. If empty, files are in the data folder.",
			set: func(c *Config, v string) error {
				c.Storage.S3.Bucket = v
				return s3Setting(s3.Config{Bucket: v}, v, "expected a bucket name, such as atelier-media")
			},
		}, {
			name: "S3_PREFIX", about: "The folder in the bucket, such as bots/atelier. Old objects in it are deleted, so it must be Atelier's alone.",
			set: func(c *Config, v string) error {
				c.Storage.S3.Prefix = v
				return s3Setting(s3.Config{Bucket: "b", Prefix: v}, v, "expected a folder name, such as bots/atelier")
			},
		}, {
			name: "S3_HOST_STYLE", value: "false", about: "true puts the bucket into the host name, also on S3-compatible servers.",
			set: func(c *Config, v string) (err error) { c.Storage.S3.HostStyle, err = yes(v); return err },
		}, {
			name: "S3_LINK_ENDPOINT", about: "The public URL of the server, for links to large files. If empty, the URL that this program uses.",
			set: func(c *Config, v string) error {
				c.Storage.S3.LinkEndpoint = v
				return s3Setting(s3.Config{Bucket: "b", LinkEndpoint: v}, v, expectedEndpoint)
			},
		}, {
			name: "S3_ENCRYPTION", about: "How the server encrypts: AES256, aws:kms or aws:kms:dsse. If empty, as the bucket is configured.",
			set: func(c *Config, v string) (err error) {
				c.Storage.S3.Encryption, err = oneOf(v, "", "AES256", "aws:kms", "aws:kms:dsse")
				return err
			},
		}, {
			name: "S3_KMS_KEY", about: "The key for aws:kms. If empty, the bucket's default key.",
			set: func(c *Config, v string) error { c.Storage.S3.KMSKey = v; return word(v) },
		}, {
			name: "AWS_REGION", about: "The region of the bucket. This and the AWS_* settings below belong to the AWS SDK, which reads its other settings too.",
			set: func(c *Config, v string) error { c.Storage.S3.Region = v; return word(v) },
		}, {
			name: "AWS_ENDPOINT_URL_S3", about: "The URL of an S3-compatible server.",
			set: func(c *Config, v string) error {
				c.Storage.S3.Endpoint = v
				return s3Setting(s3.Config{Bucket: "b", Endpoint: v}, v, expectedEndpoint)
			},
		}, {
			name: "AWS_ACCESS_KEY_ID", secret: true, about: "The access key. If empty, the credentials come from the SDK's files or from the machine.",
			set: func(c *Config, v string) error { c.Storage.AccessKey = secret(v); return key(v) },
		}, {
			name: "AWS_SECRET_ACCESS_KEY", secret: true, about: "The secret of AWS_ACCESS_KEY_ID.",
			set: func(c *Config, v string) error { c.Storage.SecretKey = secret(v); return key(v) },
		}, {
			name: "AWS_SESSION_TOKEN", secret: true, about: "The session token of temporary credentials.",
			set: func(c *Config, v string) error { c.Storage.SessionToken = secret(v); return key(v) },
		},
	}
}

const expectedEndpoint = "expected a URL such as https://s3.example.org:9000"

// redisURL checks a URL of Redis, without connecting.
func redisURL(v string) error {
	if v == "" {
		return nil
	}
	client, err := redis.Open(v)
	if fault, ok := errors.AsType[*storage.Fault](err); ok {
		what := strings.TrimPrefix(fault.Sentence, "The URL of Redis ")
		return errors.New("it " + strings.TrimSuffix(what, "."))
	}
	if err != nil {
		return err
	}
	_ = client.Close() //nolint:errcheck // it was never connected
	return nil
}

// s3Setting checks a value, and returns the expectation as the error.
func s3Setting(c s3.Config, v, expected string) error {
	if v != "" && c.Validate() != nil {
		return errors.New(expected)
	}
	return nil
}

// Config is the bucket's configuration, with credentials.
func (s *Storage) Config() s3.Config {
	c := s.S3
	c.AccessKey, c.SecretKey, c.SessionToken = string(s.AccessKey), string(s.SecretKey), string(s.SessionToken)
	return c
}

// check returns sentences about settings that do not go together.
func (s *Storage) check() (wrong []string) {
	if s.S3.Bucket == "" {
		for _, o := range []struct{ name, value string }{
			{"S3_PREFIX", s.S3.Prefix}, {"S3_LINK_ENDPOINT", s.S3.LinkEndpoint}, {"S3_ENCRYPTION", s.S3.Encryption}, {"S3_KMS_KEY", s.S3.KMSKey},
		} {
			if o.value != "" {
				wrong = append(wrong, o.name+" is set, but S3_BUCKET is not: set the bucket too.")
			}
		}
		return wrong
	}
	if s.S3.KMSKey != "" && !strings.HasPrefix(s.S3.Encryption, "aws:kms") {
		wrong = append(wrong, "S3_KMS_KEY is set, but S3_ENCRYPTION is not aws:kms or aws:kms:dsse.")
	}
	if (s.AccessKey == "") != (s.SecretKey == "") {
		set, missing := "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
		if s.AccessKey == "" {
			set, missing = missing, set
		}
		wrong = append(wrong, set+" is set, and "+missing+" is not: they belong together.")
	}
	if s.SessionToken != "" && cmp.Or(s.AccessKey, s.SecretKey) == "" {
		wrong = append(wrong, "AWS_SESSION_TOKEN is set, and AWS_ACCESS_KEY_ID is not: they belong together.")
	}
	return wrong
}
