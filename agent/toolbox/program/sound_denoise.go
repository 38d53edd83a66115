package program

import (
	"context"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// cleaning takes noise out of a recording: what is deeper than voices and instruments, the
// hum of mains at 50 and 60 hertz with its first overtones, and, by spectral subtraction
// that follows the noise as it changes, hiss, wind and fans.
var cleaning = strings.Join([]string{
	"highpass=f=40",
	"bandreject=f=50:width_type=h:w=4", "bandreject=f=60:width_type=h:w=4",
	"bandreject=f=100:width_type=h:w=4", "bandreject=f=120:width_type=h:w=4",
	"bandreject=f=150:width_type=h:w=4", "bandreject=f=180:width_type=h:w=4",
	"afftdn=noise_reduction=24:noise_floor=-40:track_noise=1",
}, ",")

// denoiseAudio takes noise out of a recording.
func (b *Backend) denoiseAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	f, note := b.same(r, r.look.Duration)
	path, err := b.render(ctx, c, r, f, cleaning)
	return toolbox.Output{Path: path, About: plan.Say("with less noise"), Note: note}, err
}
