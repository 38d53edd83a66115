package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"atelier/storage"
)

// kinds maps an error code to a kind of error: Amazon S3 API reference, error responses, and codes
// of other servers.
var kinds = map[string]error{
	"NoSuchKey":    storage.ErrNotFound,
	"NoSuchUpload": storage.ErrNotFound,
	"NoSuchBucket": storage.ErrNoBucket,

	"ExistingObjectIsDirectory": storage.ErrKey, // versitygw, like the next
	"ObjectParentIsFile":        storage.ErrKey,

	"AccessDenied":                 storage.ErrRefused,
	"AccountProblem":               storage.ErrRefused,
	"AllAccessDisabled":            storage.ErrRefused,
	"ExpiredToken":                 storage.ErrRefused,
	"InvalidAccessKeyId":           storage.ErrRefused,
	"InvalidSecurity":              storage.ErrRefused,
	"InvalidToken":                 storage.ErrRefused,
	"NotSignedUp":                  storage.ErrRefused,
	"RequestTimeTooSkewed":         storage.ErrRefused,
	"SignatureDoesNotMatch":        storage.ErrRefused,
	"TokenRefreshRequired":         storage.ErrRefused,
	"UnauthorizedAccess":           storage.ErrRefused,
	"KMS.AccessDeniedException":    storage.ErrRefused,
	"XAdminUserNotFound":           storage.ErrRefused, // versitygw
	"AuthorizationHeaderMalformed": storage.ErrUnfit,   // another region
	"IllegalLocationConstraint":    storage.ErrUnfit,
	"InvalidArgument":              storage.ErrUnfit,
	"InvalidBucketName":            storage.ErrUnfit,
	"InvalidRequest":               storage.ErrUnfit,
	"KMS.DisabledException":        storage.ErrUnfit,
	"KMS.InvalidKeyUsageException": storage.ErrUnfit,
	"KMS.NotFoundException":        storage.ErrUnfit,
	"MethodNotAllowed":             storage.ErrUnfit,
	"NotImplemented":               storage.ErrUnfit,
	"PermanentRedirect":            storage.ErrUnfit,

	"InsufficientStorage":  storage.ErrFull,
	"QuotaExceeded":        storage.ErrFull,
	"StorageQuotaExceeded": storage.ErrFull,
	"XMinioStorageFull":    storage.ErrFull,

	"RequestTimeout": storage.ErrUnreachable,
	"SlowDown":       storage.ErrUnreachable,
}

// kindOf returns the kind of an error by its code, or by its status if the code is unknown, as for
// responses to HEAD. It may be nil.
func kindOf(code string, status int) error {
	if kind, ok := kinds[code]; ok {
		return kind
	}
	switch status {
	case http.StatusNotFound:
		return storage.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return storage.ErrRefused
	case http.StatusMovedPermanently, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return storage.ErrUnfit
	case http.StatusInsufficientStorage:
		return storage.ErrFull
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return storage.ErrUnreachable
	}
	if status >= http.StatusInternalServerError {
		return storage.ErrUnreachable
	}
	return nil
}

// statusOf returns the status of a response, 0 if there was none.
func statusOf(err error) int {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		return response.HTTPStatusCode()
	}
	return 0
}

// codeOf returns the error code of a response, "" if there was none.
func codeOf(err error) string {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		return answer.ErrorCode()
	}
	return ""
}

// sort classifies an error of the SDK.
func sort(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case errors.Is(err, errNoCredentials):
		return storage.Classify(storage.ErrRefused, err)
	}
	code, status := codeOf(err), statusOf(err)
	if code == "" && status == 0 { // there was no response
		return storage.Classify(storage.ErrUnreachable, err)
	}
	if kind := kindOf(code, status); kind != nil {
		return storage.Classify(kind, err)
	}
	return err
}
