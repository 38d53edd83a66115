// Package progress shows in threads how far requests have come. It follows the hints of what
// was written and reads the rest from the records. Of all processes that are connected to a
// platform one claims a run's progress message and edits it until the answer is there; after
// that it is never touched.
package progress
