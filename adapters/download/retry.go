package download

import (
	"errors"
	"net/http"
)

// Rewind returns a request with its body rewound, for a retry.
func Rewind(r *http.Request) (*http.Request, error) {
	if r.GetBody == nil {
		return r, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, errors.New("the request cannot be repeated")
	}
	again := r.Clone(r.Context())
	again.Body = body
	return again, nil
}
