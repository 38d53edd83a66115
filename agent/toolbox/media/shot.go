package media

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/exif"
	"atelier/agent/toolbox/media/imagefile"
)

// ReadShot reads the EXIF data of a picture. Damaged data is ignored and is not an error.
func ReadShot(ctx context.Context, path string, l Limits) (exif.Shot, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return exif.Shot{}, err
	}
	if f.kind.typ != plan.Image {
		return exif.Shot{}, f.close()
	}
	giveBack, err := l.Memory.Take(ctx, f.size)
	if err != nil {
		return exif.Shot{}, err
	}
	defer giveBack()
	data, err := f.all()
	if err != nil {
		return exif.Shot{}, err
	}
	format, _ := imagefile.Of(f.kind.mime)
	s, err := format.Survey(data)
	if err != nil {
		return exif.Shot{}, f.broken(err)
	}
	return exif.Read(s.EXIF), nil
}
