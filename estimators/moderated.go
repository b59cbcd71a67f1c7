package estimators

// The moderated effect's v_i, s = (1, moderators) of length k, intervention a:
//
//	(sum s s' packed, for each outcome sum W s Y, for each column of x sum W s x)
//
// whose first entry is N.

func (p *panel) moderatedAxis(x *axes) axis {
	k := 1 + x.moderators
	return axis{columnsOfX, triangle(k) + k*len(p.outcomes), k}
}

// moderate is v_i of intervention a in b.places and b.values.
func (p *panel) moderate(b *batch, a int, y []float64) {
	k := 1 + len(b.rows[0].moderators)
	lead := triangle(k) + k*len(y)
	w := len(b.cols)
	b.sum = zeros(b.sum, lead+k*w)
	v := b.sum
	b.s = zeros(b.s, k)
	s := b.s
	s[0] = 1
	for _, r := range b.rows[:b.n] {
		copy(s[1:], r.moderators)
		for i := range s {
			for j := range i + 1 {
				v[triangle(i)+j] += s[i] * s[j]
			}
		}
		weight := r.weights[a]
		if weight == 0 {
			continue
		}
		for o := range y {
			to := v[triangle(k)+o*k:][:k]
			for i := range s {
				to[i] += weight * s[i] * y[o]
			}
		}
		for c, at := range r.local {
			to := v[lead+at*k:][:k]
			for i := range s {
				to[i] += weight * s[i] * r.x[c]
			}
		}
	}
	b.places, b.values = b.places[:0], b.values[:0]
	for i, x := range v {
		place := i
		if i >= lead {
			at := i - lead
			place = lead + b.cols[at/k]*k + at%k
		}
		if x != 0 {
			b.places, b.values = append(b.places, place), append(b.values, x)
		}
	}
}
