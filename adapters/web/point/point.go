// Package point is the page on which people mark points, boxes and a painted mask on a picture. It
// is part of the web channel's pages, and for other platforms a page behind a signed link.
//
// Guarantees:
//   - A link works for one picture of one thread, until it expires, without a login. It gives
//     access to that picture and the page, and accepts marks.
//   - A mark is delivered before the page confirms it. Posting the same form again is the same
//     event.
//   - A mask is stored only if it is a grayscale picture of the picture's size, and not empty.
//   - Coordinates are pixels of the picture after its EXIF orientation; marks beyond it are
//     rejected.
package point
