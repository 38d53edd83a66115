package metadata

import (
	"bytes"
	"encoding/binary"
)

// mp3 drops the tags at both ends of an MP3 or AAC file: ID3v2, ID3v1 and APE.
func (k *kept) mp3(in source) error {
	from, to := int64(0), in.size
	for { // there may be several
		head, err := in.bytes(from, 10)
		if err != nil {
			return err
		}
		if len(head) < 10 || !bytes.HasPrefix(head, []byte("ID3")) {
			break
		}
		const footer = 0x10
		size := int64(head[6]&0x7F)<<21 | int64(head[7]&0x7F)<<14 | int64(head[8]&0x7F)<<7 | int64(head[9]&0x7F)
		if from += 10 + size; head[5]&footer != 0 {
			from += 10
		}
	}
	const v1, ape = 128, 32
	tail, err := in.bytes(to-v1, v1)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(tail, []byte("TAG")) {
		to -= v1
	}
	if tail, err = in.bytes(to-ape, ape); err != nil {
		return err
	}
	if bytes.HasPrefix(tail, []byte("APETAGEX")) {
		const withHeader = 1 << 31
		to -= int64(binary.LittleEndian.Uint32(tail[12:]))
		if binary.LittleEndian.Uint32(tail[20:])&withHeader != 0 {
			to -= ape
		}
	}
	if from >= to { // not a valid file
		k.all()
		return nil
	}
	k.keep(from, to)
	return nil
}

// flac replaces the metadata blocks of a FLAC file by padding (RFC 9639, section 8).
func (k *kept) flac(in source) error {
	k.keep(0, 4)
	for at := int64(4); ; {
		head, err := in.bytes(at, 4)
		if err != nil {
			return err
		}
		if len(head) < 4 {
			k.keep(at, in.size)
			return nil
		}
		const last, padding = 0x80, 1
		next := min(at+4+(int64(head[1])<<16|int64(head[2])<<8|int64(head[3])), in.size)
		switch head[0] &^ last {
		case 0, 3, padding: // 0 is the stream info, 3 the seek table
			k.keep(at, next)
		default:
			k.put([]byte{head[0]&last | padding})
			k.keep(at+1, at+4)
			k.blank(at+4, next)
		}
		if at = next; head[0]&last != 0 {
			k.keep(at, in.size)
			return nil
		}
	}
}

// page is a page of an Ogg file (RFC 3533, section 6) with its position.
type page struct {
	at    int64
	bytes []byte
	body  int // offset of the body in bytes
}

// comments is the comment packet of a stream: the second packet, which may span pages.
type comments struct {
	before int // packets that have ended
	packet []byte
	lies   [][]byte // where the packet lies in the pages, in order
	done   bool
}

// maxComments is how far into a file comments may reach; they may contain a picture.
const maxComments = 32 << 20

// ogg overwrites the comments of each stream of an Ogg file.
func (k *kept) ogg(in source) error {
	streams := map[uint32]*comments{}
	var touched []*page
	open := 1
	for at := int64(0); open > 0 && at < min(in.size, maxComments); {
		p, err := in.page(at)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		at += int64(len(p.bytes))
		serial := binary.LittleEndian.Uint32(p.bytes[14:])
		if streams[serial] == nil {
			streams[serial] = &comments{}
		}
		if streams[serial].take(p) {
			touched = append(touched, p)
		}
		open = 0
		for _, s := range streams {
			if !s.done {
				open++
			}
		}
	}
	changed := false
	for _, s := range streams {
		changed = s.overwrite() || changed
	}
	var patches []patch
	for _, p := range touched {
		if changed {
			p.sum()
			patches = append(patches, patch{p.at, p.bytes})
		}
	}
	k.patched(patches)
	return nil
}

// page reads a page, nil if there is none.
func (s source) page(at int64) (*page, error) {
	const header = 27
	head, err := s.bytes(at, header+255)
	if err != nil || len(head) < header || !bytes.HasPrefix(head, []byte("OggS")) {
		return nil, err
	}
	body := header + int(head[26])
	if len(head) < body {
		return nil, nil //nolint:nilnil // the page is truncated
	}
	size := body
	for _, n := range head[header:body] {
		size += int(n)
	}
	b, err := s.bytes(at, int64(size))
	if err != nil || len(b) < size {
		return nil, err
	}
	return &page{at, b, body}, nil
}

// take adds the page's share of the comment packet, and reports whether there is any.
func (c *comments) take(p *page) (some bool) {
	at := p.body
	for _, n := range p.bytes[27:p.body] {
		if c.before == 1 && !c.done {
			part := p.bytes[at : at+int(n)]
			c.packet, c.lies = append(c.packet, part...), append(c.lies, part)
			some = true
		}
		if at += int(n); n < 255 {
			c.before++
			c.done = c.done || c.before == 2
		}
	}
	return some
}

// overwrite replaces all comments by one meaningless comment of the same length, and reports whether there were any.
func (c *comments) overwrite() bool {
	if !c.done {
		return false
	}
	at := 0
	for _, kind := range []string{"OpusTags", "\x03vorbis", "\x81theora"} {
		if bytes.HasPrefix(c.packet, []byte(kind)) {
			at = len(kind)
		}
	}
	number := func(at int) int {
		if at < 0 || at+4 > len(c.packet) {
			return -1
		}
		return int(binary.LittleEndian.Uint32(c.packet[at:]))
	}
	vendor := number(at)
	if at == 0 || vendor < 0 || number(at+4+vendor) <= 0 {
		return false
	}
	count := at + 4 + vendor
	end := count + 4
	for range number(count) {
		n := number(end)
		if n < 0 || end+4+n > len(c.packet) {
			return false
		}
		end += 4 + n
	}
	before := bytes.Clone(c.packet)
	binary.LittleEndian.PutUint32(c.packet[count:], 1)
	binary.LittleEndian.PutUint32(c.packet[count+4:], uint32(end-count-8))
	nothing := c.packet[count+8 : end]
	copy(nothing, bytes.Repeat([]byte{' '}, len(nothing)))
	copy(nothing, "X=")
	if bytes.Equal(before, c.packet) {
		return false
	}
	for rest := c.packet; len(c.lies) > 0; c.lies = c.lies[1:] {
		rest = rest[copy(c.lies[0], rest):]
	}
	return true
}

// sum recomputes the checksum of a page.
func (p *page) sum() {
	const place = 22
	clear(p.bytes[place : place+4])
	var crc uint32
	for _, b := range p.bytes {
		crc ^= uint32(b) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04C11DB7
			} else {
				crc <<= 1
			}
		}
	}
	binary.LittleEndian.PutUint32(p.bytes[place:], crc)
}
