package toolgraph

// ordered is an element of a heap.
type ordered[T any] interface{ before(other T) bool }

var (
	_ ordered[entry]   = entry{}
	_ ordered[reached] = reached{}
	_ ordered[way]     = way{}
)

// heap is a priority queue with the lowest element first. (container/heap would box every entry.)
type heap[T ordered[T]] []T

func (h *heap[T]) push(v T) {
	*h = append(*h, v)
	q := *h
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !v.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = v
}

func (h *heap[T]) pop() T {
	q := *h
	top, v := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(v) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = v
	return top
}
