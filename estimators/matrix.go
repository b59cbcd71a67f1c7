package estimators

// matrix is a dense rectangle that grows by rows and by columns: what was never
// touched needs no room and is zero.
type matrix struct {
	rows, cols int
	stride     int // columns there is room for
	a          []float64
}

// grow makes room for rows × cols.
func (m *matrix) grow(rows, cols int) {
	if cols > m.stride {
		stride := max(cols, m.stride+m.stride/2)
		a := make([]float64, max(rows, m.rows)*stride)
		for i := range m.rows {
			copy(a[i*stride:], m.row(i))
		}
		m.a, m.stride = a, stride
	}
	m.rows, m.cols = max(rows, m.rows), max(cols, m.cols)
	if need := m.rows * m.stride; need > len(m.a) {
		m.a = append(m.a, make([]float64, need-len(m.a))...)
	}
}

func (m *matrix) row(i int) []float64 { return m.a[i*m.stride : i*m.stride+m.cols] }

// addProduct adds s A'B at the given rows and columns: a is n × len(rows), b is
// n × len(cols), both row by row, and n is a multiple of four: four rows of a
// trajectory meet each sum at once. cols must ascend.
func (m *matrix) addProduct(s float64, rows, cols []int, a, b []float64, n int) {
	if len(rows) == 0 || len(cols) == 0 || n == 0 {
		return
	}
	m.grow(largestOf(rows)+1, largestOf(cols)+1)
	h, w := len(rows), len(cols)
	contiguous := cols[w-1]-cols[0] == w-1
	for i, r := range rows {
		to := m.row(r)
		for t := 0; t < n; t += 4 {
			a0, a1, a2, a3 := s*a[t*h+i], s*a[(t+1)*h+i], s*a[(t+2)*h+i], s*a[(t+3)*h+i]
			if a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0 {
				continue
			}
			b0, b1, b2, b3 := b[t*w:][:w], b[(t+1)*w:][:w], b[(t+2)*w:][:w], b[(t+3)*w:][:w]
			if contiguous {
				into := to[cols[0]:][:w]
				for j := range into {
					into[j] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
				}
				continue
			}
			for j, c := range cols {
				to[c] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
			}
		}
	}
}

// addMapped adds o, its row i at row rows[i] and its column j at cols[j].
func (m *matrix) addMapped(o *matrix, rows, cols []int) {
	if o.rows == 0 || o.cols == 0 {
		return
	}
	m.grow(largestOf(rows[:o.rows])+1, largestOf(cols[:o.cols])+1)
	for i := range o.rows {
		to := m.row(rows[i])
		for j, x := range o.row(i) {
			to[cols[j]] += x
		}
	}
}

func (m *matrix) collapseRow(from, into int) {
	if from >= m.rows {
		return
	}
	m.grow(into+1, m.cols)
	source, target := m.row(from), m.row(into)
	for j, x := range source {
		target[j] += x
	}
	clear(source)
}

func (m *matrix) collapseCol(from, into int) {
	if from >= m.cols {
		return
	}
	m.grow(m.rows, into+1)
	for i := range m.rows {
		row := m.row(i)
		row[into] += row[from]
		row[from] = 0
	}
}

func largestOf(places []int) int {
	most := places[0]
	for _, p := range places {
		most = max(most, p)
	}
	return most
}
