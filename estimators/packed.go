package estimators

import "slices"

// packed is a symmetric matrix, the rows of its lower triangle one behind the
// other. It grows as its places are touched: a row and column never touched need
// no room and are zero. As long as most places are of that kind only the others
// have room, so that the sums of a group that is hardly ever seen are small.
type packed struct {
	dim    int       // no place from here on was touched
	a      []float64 // n (n+1) / 2, n being the number of rows that have room
	places []int     // of these rows, ascending; nil: all dim of them
}

// leastGaps is the size below which a matrix has room for every row.
const leastGaps = 16

func triangle(dim int) int { return dim * (dim + 1) / 2 }

// room makes room for rows at places, ascending and not empty.
func (p *packed) room(places []int) {
	dim := max(p.dim, places[len(places)-1]+1)
	if p.places == nil && dim >= leastGaps && 2*(p.dim+len(places)) < dim {
		p.places = identity(p.dim)
	}
	p.dim = dim
	if p.places == nil {
		p.fill(dim)
		return
	}
	all := make([]int, 0, len(p.places)+len(places))
	all = append(append(all, p.places...), places...)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == len(p.places) {
		return
	}
	if 2*len(all) >= dim {
		all = identity(dim)
	}
	old := *p
	p.a, p.places = make([]float64, triangle(len(all))), all
	if len(all) == dim {
		p.places = nil
	}
	for i, at := range old.places {
		row := p.a[triangle(p.row(at)):]
		for j, x := range old.a[triangle(i) : triangle(i)+i+1] {
			row[p.row(old.places[j])] = x
		}
	}
}

// fill makes room for dim rows where all have room.
func (p *packed) fill(dim int) {
	if n := triangle(dim); n > len(p.a) {
		p.a = append(p.a, make([]float64, n-len(p.a))...)
	}
}

// row is which row of a place i is; negative where it has no room.
func (p *packed) row(i int) int {
	if p.places == nil {
		if i >= p.dim {
			return -1
		}
		return i
	}
	at, found := slices.BinarySearch(p.places, i)
	if !found {
		return -1
	}
	return at
}

// rowsOf makes room for rows at places, ascending and not empty, and says which rows
// of a they are, in into where it is needed.
func (p *packed) rowsOf(places, into []int) []int {
	if p.places == nil && places[len(places)-1] < p.dim {
		return places
	}
	rows, missing := p.rows(places, into)
	if missing {
		p.room(places)
		rows, _ = p.rows(places, into)
	}
	return rows
}

// rows is rowsOf for what has room already; missing tells whether something has not.
func (p *packed) rows(places, into []int) (rows []int, missing bool) {
	if p.places == nil {
		return places, places[len(places)-1] >= p.dim
	}
	at := 0
	for _, place := range places {
		for at < len(p.places) && p.places[at] < place {
			at++
		}
		if at == len(p.places) || p.places[at] != place {
			return nil, true
		}
		into = append(into, at)
	}
	return into, false
}

// place is the place of row i of a.
func (p *packed) place(i int) int {
	if p.places == nil {
		return i
	}
	return p.places[i]
}

// count is the number of rows that have room.
func (p *packed) count() int {
	if p.places == nil {
		return p.dim
	}
	return len(p.places)
}

// at is the element (i, j), zero where there is no room.
func (p *packed) at(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	if i, j = p.row(i), p.row(j); i < 0 || j < 0 {
		return 0
	}
	return p.a[triangle(i)+j]
}

// add adds x to the elements (i, j) and (j, i).
func (p *packed) add(i, j int, x float64) {
	if i < j {
		i, j = j, i
	}
	r, c := p.row(i), p.row(j)
	if r < 0 || c < 0 {
		p.room([]int{j, i})
		r, c = p.row(i), p.row(j)
	}
	p.a[triangle(r)+c] += x
}

// addOuter adds w v v' for a sparse v: its places, ascending, and its values.
func (p *packed) addOuter(w float64, places []int, v []float64) {
	if len(places) == 0 {
		return
	}
	var scratch [48]int
	places = p.rowsOf(places, scratch[:0])
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
	var scratch [48]int
	places = p.rowsOf(places, scratch[:0])
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
	if q.dim == 0 {
		return
	}
	n := q.count()
	targets := make([]int, n)
	for i := range targets {
		targets[i] = to[q.place(i)]
	}
	slices.Sort(targets)
	if n > 0 {
		p.room(slices.Compact(targets))
	}
	for i := range n {
		row := q.a[triangle(i):]
		for j := 0; j <= i; j++ {
			x, r, c := row[j], to[q.place(i)], to[q.place(j)]
			if i != j && r == c {
				x *= 2 // (i, j) and (j, i) both land on the diagonal
			}
			p.add(r, c, x)
		}
	}
}

// collapse adds row and column from into row and column into, and leaves from
// zero.
func (p *packed) collapse(from, into int) {
	if p.row(from) < 0 {
		return
	}
	p.room([]int{into})
	p.add(into, into, 2*p.at(into, from)+p.at(from, from))
	for n := range p.count() {
		if i := p.place(n); i != from && i != into {
			p.add(into, i, p.at(from, i))
		}
	}
	for n := range p.count() {
		i := p.place(n)
		p.add(from, i, -p.at(from, i))
	}
}

// form is q'Aq for a dense q of at least dim elements, and |q|'|A||q|.
func (p *packed) form(q []float64) (value, size float64) {
	if p.places != nil {
		own := make([]float64, len(p.places))
		for i, at := range p.places {
			own[i] = q[at]
		}
		q = own
	}
	for i := range p.count() {
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
