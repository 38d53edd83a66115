package imagefile

import "encoding/binary"

// fields reads big-endian fields of a box. After an error, all fields are 0.
type fields struct {
	b      []byte
	failed bool
}

// uint reads a field of size bytes, 0 to 8.
func (f *fields) uint(size int) uint64 {
	if f.failed || len(f.b) < size {
		f.failed = true
		return 0
	}
	n := uint64(0)
	for _, v := range f.b[:size] {
		n = n<<8 | uint64(v)
	}
	f.b = f.b[size:]
	return n
}

// heifEXIF returns the EXIF data of a HEIC or AVIF file as a TIFF structure (ISO/IEC 23008-12, annex A.2.1); nil if there is
// none or it is damaged.
func heifEXIF(file []byte) []byte {
	meta, ok := heifBox(file, "meta")
	if !ok || len(meta) < 4 {
		return nil
	}
	meta = meta[4:]
	infos, _ := heifBox(meta, "iinf")
	places, _ := heifBox(meta, "iloc")
	id, ok := exifItem(infos)
	if !ok {
		return nil
	}
	offset, length := extent(places, id)
	if length < 4 || offset > uint64(len(file)) || length > uint64(len(file))-offset {
		return nil
	}
	item := file[offset : offset+length]
	start := uint64(binary.BigEndian.Uint32(item)) // of the TIFF header, after this field
	if item = item[4:]; start > uint64(len(item)) {
		return nil
	}
	return item[start:]
}

// exifItem returns the ID of the EXIF item in an item information box.
func exifItem(infos []byte) (uint64, bool) {
	if len(infos) < 6 {
		return 0, false
	}
	head := 6 // version, flags and a count of 2 bytes
	if infos[0] > 0 {
		head = 8
	}
	for kind, info := range heifBoxes(infos[min(head, len(infos)):]) {
		if kind != "infe" || len(info) < 4 || info[0] < 2 {
			continue
		}
		size := 2
		if info[0] > 2 {
			size = 4
		}
		f := fields{b: info[4:]}
		id, _, typ := f.uint(size), f.uint(2), f.uint(4)
		if typ == uint64(binary.BigEndian.Uint32([]byte("Exif"))) && !f.failed {
			return id, true
		}
	}
	return 0, false
}

// extent returns where the only extent of an item is in the file, by the item location box; length 0 if it is not there.
func extent(places []byte, item uint64) (offset, length uint64) {
	f := fields{b: places}
	version := f.uint(1)
	f.uint(3)
	sizes := f.uint(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12&15), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		indexSize = 0
	}
	idSize := 2
	if version == 2 {
		idSize = 4
	}
	for count := f.uint(idSize); count > 0 && !f.failed; count-- {
		id, method := f.uint(idSize), uint64(0)
		if version > 0 {
			method = f.uint(2) & 15 // 0: in the file
		}
		f.uint(2)
		base := f.uint(baseSize)
		extents := f.uint(2)
		for n := extents; n > 0 && !f.failed; n-- {
			f.uint(indexSize)
			at, size := f.uint(offsetSize), f.uint(lengthSize)
			if id == item && method == 0 && extents == 1 && !f.failed {
				return base + at, size
			}
		}
	}
	return 0, 0
}
