package decompose

import (
	"context"
	"slices"

	"atelier/agent/plan"
)

// pictures returns the pictures to show to the model, with their names: the latest of the message,
// or else of the thread. Unreadable ones are skipped.
func (job *Decomposer) pictures(ctx context.Context, r plan.Request) (shown [][]byte, names []string, err error) {
	if job.config.Pictures == nil {
		return nil, nil, nil
	}
	isPicture := func(r plan.Resource) bool { return r.Type.Fits(plan.Image) }
	from := r.Given
	if !slices.ContainsFunc(from, isPicture) {
		from = r.Earlier
	}
	for _, res := range slices.Backward(from) {
		if len(shown) == maxPictures {
			break
		}
		if !isPicture(res) {
			continue
		}
		picture, err := job.config.Pictures.Picture(ctx, res)
		if stopped := ctx.Err(); stopped != nil {
			return nil, nil, stopped
		}
		if err != nil || len(picture) == 0 {
			continue
		}
		shown, names = append(shown, picture), append(names, res.Name)
	}
	slices.Reverse(shown)
	slices.Reverse(names)
	return shown, names, nil
}
