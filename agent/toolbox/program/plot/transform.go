package plot

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// window is the number of samples of a spectrum.
const window = 4096

// transform computes the spectra of windows of samples, with a Hann window.
type transform struct {
	hann  []float64
	turns []complex128
	work  []complex128
}

func newTransform() *transform {
	t := &transform{make([]float64, window), make([]complex128, window/2), make([]complex128, window)}
	for i := range t.hann {
		t.hann[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/window)
	}
	for i := range t.turns {
		t.turns[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/window)
	}
	return t
}

// add adds the power of each frequency, from 0 to half the sample rate, to power. A full-scale
// sine wave has the power 1.
func (t *transform) add(samples, power []float64) {
	for i, v := range samples {
		t.work[bits.Reverse32(uint32(i))>>(32-12)] = complex(v*t.hann[i], 0)
	}
	for size := 2; size <= window; size *= 2 {
		half, stride := size/2, window/size
		for begin := 0; begin < window; begin += size {
			for k := range half {
				a, b := t.work[begin+k], t.work[begin+k+half]*t.turns[k*stride]
				t.work[begin+k], t.work[begin+k+half] = a+b, a-b
			}
		}
	}
	const full = window / 4 // the peak of a sine wave: half lies at negative frequencies, and the Hann window halves it again
	for k := range power {
		re, im := real(t.work[k])/full, imag(t.work[k])/full
		power[k] += re*re + im*im
	}
}
