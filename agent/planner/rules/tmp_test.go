package rules_test
import ("testing";"atelier/agent/planner/rules")
func BenchmarkNewTmp(b *testing.B) { c, _ := catalogue(); for b.Loop() { rules.New(rules.Config{Catalogue: c}) } }
