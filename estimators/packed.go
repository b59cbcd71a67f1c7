package estimators

// packed is a symmetric matrix, the rows of its lower triangle one behind the
// other. It grows by appending: a row and column never touched need no room
// and are zero.
type packed struct {
	dim int
	a   []float64 // dim (dim+1) / 2
}

func triangle(dim int) int { return dim * (dim + 1) / 2 }

// grow makes room for dim rows.
func (p *packed) grow(dim int) {
	if dim > p.dim {
		p.a = append(p.a, make([]float64, triangle(dim)-len(p.a))...)
		p.dim = dim
	}
}

// at is the element (i, j), zero where there is no room.
func (p *packed) at(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	if i >= p.dim {
		return 0
	}
	return p.a[triangle(i)+j]
}

// add adds x to the elements (i, j) and (j, i).
func (p *packed) add(i, j int, x float64) {
	if i < j {
		i, j = j, i
	}
	p.grow(i + 1)
	p.a[triangle(i)+j] += x
}

// addOuter adds w v v' for a sparse v: its places, ascending, and its values.
func (p *packed) addOuter(w float64, places []int, v []float64) {
	if len(places) == 0 {
		return
	}
	p.grow(places[len(places)-1] + 1)
	for s, i := range places {
		row := p.a[triangle(i):]
		wv := w * v[s]
		if i-places[0] == s { // all places up to here are there
			into := row[places[0]:][:s+1]
			for r, x := range v[:s+1] {
				into[r] += wv * x
			}
			continue
		}
		for r := 0; r <= s; r++ {
			row[places[r]] += wv * v[r]
		}
	}
}

// addGram adds s A'B, which is symmetric, at the given places, ascending: a and
// b are n × len(places) row by row, a the rows of b with a weight each, and n
// is a multiple of four.
func (p *packed) addGram(s float64, places []int, a, b []float64, n int) {
	w := len(places)
	if w == 0 || n == 0 {
		return
	}
	p.grow(places[w-1] + 1)
	for i, place := range places {
		to := p.a[triangle(place) : triangle(place)+place+1]
		contiguous := place-places[0] == i
		for t := 0; t < n; t += 4 {
			a0, a1, a2, a3 := s*a[t*w+i], s*a[(t+1)*w+i], s*a[(t+2)*w+i], s*a[(t+3)*w+i]
			if a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0 {
				continue
			}
			b0, b1, b2, b3 := b[t*w:][:i+1], b[(t+1)*w:][:i+1], b[(t+2)*w:][:i+1], b[(t+3)*w:][:i+1]
			if contiguous {
				into := to[places[0]:][:i+1]
				for j := range into {
					into[j] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
				}
				continue
			}
			for j, c := range places[:i+1] {
				to[c] += a0*b0[j] + a1*b1[j] + a2*b2[j] + a3*b3[j]
			}
		}
	}
}

// addMapped adds T q T', where T sends place i to place to[i].
func (p *packed) addMapped(q *packed, to []int) {
	for i := 0; i < q.dim; i++ {
		row := q.a[triangle(i):]
		for j := 0; j <= i; j++ {
			x := row[j]
			if i != j && to[i] == to[j] {
				x *= 2 // (i, j) and (j, i) both land on the diagonal
			}
			p.add(to[i], to[j], x)
		}
	}
}

// collapse adds row and column from into row and column into, and leaves from
// zero.
func (p *packed) collapse(from, into int) {
	if from >= p.dim {
		return
	}
	p.grow(into + 1)
	p.add(into, into, 2*p.at(into, from)+p.at(from, from))
	for i := range p.dim {
		if i != from && i != into {
			p.add(into, i, p.at(from, i))
		}
	}
	for i := range p.dim {
		p.add(from, i, -p.at(from, i))
	}
}

// form is q'Aq for a dense q of at least dim elements, and |q|'|A||q|.
func (p *packed) form(q []float64) (value, size float64) {
	for i := range p.dim {
		row := p.a[triangle(i) : triangle(i)+i+1]
		sum, abs := 0.0, 0.0
		for j, x := range row[:i] {
			y := x * q[j]
			sum += y
			abs += max(y, -y)
		}
		d := row[i] * q[i]
		value += q[i] * (2*sum + d)
		size += max(q[i], -q[i]) * (2*abs + max(d, -d))
	}
	return value, size
}

// vector grows like packed does.
type vector []float64

func (v *vector) grow(dim int) {
	if dim > len(*v) {
		*v = append(*v, make([]float64, dim-len(*v))...)
	}
}

func (v vector) at(i int) float64 {
	if i >= len(v) {
		return 0
	}
	return v[i]
}

func (v *vector) add(i int, x float64) {
	v.grow(i + 1)
	(*v)[i] += x
}

func (v *vector) addSparse(w float64, places []int, x []float64) {
	if len(places) == 0 {
		return
	}
	first, last := places[0], places[len(places)-1]
	v.grow(last + 1)
	into := (*v)[first : last+1]
	if len(into) == len(places) { // all places between are there
		for i, y := range x[:len(into)] {
			into[i] += w * y
		}
		return
	}
	for s, i := range places {
		into[i-first] += w * x[s]
	}
}

func (v *vector) addMapped(o vector, to []int) {
	for i, x := range o {
		v.add(to[i], x)
	}
}

func (v *vector) collapse(from, into int) {
	if from < len(*v) {
		v.add(into, (*v)[from])
		(*v)[from] = 0
	}
}
