package media

import (
	"fmt"
	"slices"

	"github.com/gabriel-vasile/mimetype"

	"atelier/agent/plan"
)

const webPage = "text/html"

// page is the kind of the web pages made here.
var page = kind{webPage, plan.HTML, plan.Say("a web page"), []string{"html", "htm"}}

// offices are the kinds of office documents that are accepted with [Limits].Office.
var offices = []kind{
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", plan.Document, office, []string{"docx"}},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", plan.Document, office, []string{"xlsx"}},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", plan.Document, office, []string{"pptx"}},
	{"application/vnd.oasis.opendocument.text", plan.Document, office, []string{"odt"}},
	{"application/vnd.oasis.opendocument.spreadsheet", plan.Document, office, []string{"ods"}},
	{"application/vnd.oasis.opendocument.presentation", plan.Document, office, []string{"odp"}},
}

// officeKind returns the kind of an office document by its first bytes.
func officeKind(head []byte) (kind, bool) {
	found := mimetype.Detect(head)
	at := slices.IndexFunc(offices, func(k kind) bool { return found.Is(k.mime) })
	if at < 0 {
		return kind{}, false
	}
	return offices[at], true
}

// IsOffice reports whether a file is an office document that is accepted with [Limits].Office.
func IsOffice(path string) (bool, error) {
	found, err := mimetype.DetectFile(path)
	if err != nil {
		return false, fmt.Errorf("look at a document: %w", err)
	}
	return slices.ContainsFunc(offices, func(k kind) bool { return found.Is(k.mime) }), nil
}

// foreign lists kinds that are recognized but not accepted, so that errors can name them. Some would
// otherwise match an accepted kind: an SVG drawing is also text, and a burst of phone pictures uses a
// video container.
var foreign = append([]kind{
	page,
	{mime: "image/svg+xml", name: plan.Say("an SVG drawing")},
	{mime: "image/heic-sequence", name: plan.Say("a HEIC picture")},
	{mime: "image/heif-sequence", name: plan.Say("a HEIC picture")},
	{mime: "image/jp2", name: plan.Say("a JPEG 2000 picture")},
	{mime: "image/vnd.adobe.photoshop", name: plan.Say("a Photoshop picture")},

	{mime: "application/msword", name: office},
	{mime: "application/vnd.ms-excel", name: office},
	{mime: "application/vnd.ms-powerpoint", name: office},
	{mime: "text/rtf", name: office},
	{mime: "application/epub+zip", name: plan.Say("a book")},
	{mime: "text/xml", name: plan.Say("an XML document")},

	{mime: "application/vnd.microsoft.portable-executable", name: program},
	{mime: "application/x-elf", name: program},
	{mime: "application/x-mach-binary", name: program},
	{mime: "application/x-ms-installer", name: program},
	{mime: "application/java-archive", name: program},
	{mime: "application/x-java-applet", name: program},
	{mime: "application/vnd.android.package-archive", name: program},
	{mime: "application/vnd.debian.binary-package", name: program},
	{mime: "application/x-rpm", name: program},
	{mime: "application/wasm", name: program},

	{mime: "application/zip", name: archive},
	{mime: "application/gzip", name: archive},
	{mime: "application/x-tar", name: archive},
	{mime: "application/x-7z-compressed", name: archive},
	{mime: "application/vnd.rar", name: archive},
	{mime: "application/x-bzip2", name: archive},
	{mime: "application/x-xz", name: archive},
	{mime: "application/zstd", name: archive},
	{mime: "application/vnd.ms-cab-compressed", name: archive},
}, offices...)

var (
	office  = plan.Say("an office document")
	program = plan.Say("a program")
	archive = plan.Say("an archive")
)

// foreignName returns the name of a foreign kind by the first bytes of a file.
func foreignName(head []byte) (plan.Message, bool) {
	for m := mimetype.Detect(head); m != nil; m = m.Parent() {
		for _, f := range foreign {
			if m.Is(f.mime) {
				return f.name, true
			}
		}
	}
	return plan.Message{}, false
}
