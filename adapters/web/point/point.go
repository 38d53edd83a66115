// Package point is the page on which people mark what they mean on a picture: points,
// boxes, and a painted mask. It is part of the web channel's pages, and for other platforms
// a page of its own that a signed link leads to.
//
// Promises:
//   - A link works for one picture of one thread, until it expires, without a login; what
//     was changed in it, or has expired, opens nothing. The mux that serves it reaches
//     nothing but that picture, the page, and the taking of a mark.
//   - What is marked is handed over before the page says that it is taken. The same form that
//     is posted again, as after a lost connection, is the same event.
//   - A mask is kept only where it is a picture in shades of gray of exactly the size of the
//     picture, on which something is painted.
//   - Coordinates are pixels of the picture as people see it, after its EXIF orientation,
//     whatever the zoom; a mark beyond the picture is refused.
package point
