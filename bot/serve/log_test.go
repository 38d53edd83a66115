package serve_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/agent/toolbox/slow"
	"atelier/bot/clitest"
	"atelier/storage/s3/s3test"
)

// TestLogHoldsNoFileName checks that the log reports failures of the storage without the names of people's files.
func TestLogHoldsNoFileName(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for name, c := range map[string]struct {
		method string
		from   int64 // the first of these calls that fails
	}{
		"what was given cannot be kept": {http.MethodPut, 1},
		"what was made cannot be kept":  {http.MethodPut, 2},
		"nothing can be read":           {http.MethodGet, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bucket := s3test.New(t, s3test.Config{})
			o := clitest.OpenParlour(t, clitest.NewParlour(),
				append(clitest.Bucket(bucket), "ATELIER_DATA="+t.TempDir(), "ATELIER_LOG=debug", "ATELIER_DEADLINE=3s")...)
			var calls, refused atomic.Int64
			bucket.Meddle(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == c.method && calls.Add(1) >= c.from {
						refused.Add(1)
						s3test.Fail(w, http.StatusForbidden, "AccessDenied")
						return
					}
					next.ServeHTTP(w, r)
				})
			})
			wish := o.Parlour.Wish("m1", "find the edges in this picture")
			wish.Message.Files[0].Name = "geheimnis.jpg"
			o.Parlour.Says <- wish
			<-o.Parlour.Replies
			o.WaitFor(wish)
			o.End()
			log := o.Log.String()
			if refused.Load() == 0 || !strings.Contains(log, "AccessDenied") {
				t.Errorf("nothing failed:\n%s", log)
			}
			if strings.Contains(log, "geheimnis") || strings.Contains(log, "find the edges") {
				t.Errorf("it holds what is people's own:\n%s", log)
			}
		})
	}
}
