package hftasktest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strconv"
)

const jsonKind = "application/json"

// made is an encoded answer.
type made struct {
	kind string // its media type
	body []byte
	cut  bool // send only half of it
}

func (m made) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", m.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(m.body)))
	if m.cut {
		m.body = m.body[:len(m.body)/2] // net/http closes the connection then
	}
	_, _ = w.Write(m.body) //nolint:errcheck // a client that has gone needs no answer
}

// file is an answer that is sent as raw bytes. The schemas describe it as a member of an object.
type file struct {
	member string // "image", "audio", "video"
	kind   string
	body   []byte
	rate   int // sample rate of a sound, in Hz
}

// encode returns an answer as it is sent, and as the schemas describe it.
func encode(out any) (made, any, error) {
	if f, ok := out.(file); ok {
		seen := map[string]any{f.member: base64.StdEncoding.EncodeToString(f.body)}
		if f.rate > 0 {
			seen["sampling_rate"] = float64(f.rate)
		}
		return made{kind: f.kind, body: f.body}, seen, nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return made{}, nil, fmt.Errorf("encode: %w", err)
	}
	var seen any
	if err := json.Unmarshal(b, &seen); err != nil {
		return made{}, nil, fmt.Errorf("decode: %w", err)
	}
	return made{kind: jsonKind, body: b}, seen, nil
}

// picture returns an answer that is a picture.
func picture(img image.Image) (any, error) {
	b, err := encodePNG(img)
	if err != nil {
		return nil, err
	}
	return file{member: "image", kind: "image/png", body: b}, nil
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return b.Bytes(), nil
}

// base64PNG encodes a picture for JSON.
func base64PNG(img image.Image) (string, error) {
	b, err := encodePNG(img)
	return base64.StdEncoding.EncodeToString(b), err
}
