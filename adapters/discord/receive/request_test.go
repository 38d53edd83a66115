package receive

import (
	"strconv"
	"testing"

	"atelier/adapters/discord/convert"
)

// The number and age of remembered messages are limited.
func TestTargets(t *testing.T) {
	t.Parallel()
	var c targets
	now := convert.CreatedAt("1000000000000000000")
	for i := range maxTargets + 1 {
		c.put(convert.Message{ID: strconv.Itoa(i)}, now)
	}
	if _, ok := c.get("0", now); ok || len(c.all) != maxTargets {
		t.Errorf("%d are kept", len(c.all))
	}
	if _, ok := c.get("1", now.Add(targetFor)); !ok {
		t.Error("it is forgotten too early")
	}
	if _, ok := c.get("1", now.Add(targetFor+1)); ok {
		t.Error("it is kept too long")
	}
}
