package estimators

// blipSums are the sums of the blip model over the trajectories of one panel:
// what enters psi by bucket, so that each can be left out, and the normal
// equations of its nuisances by fold.
type blipSums struct {
	buckets [Buckets]blipBucket
	folds   []blipFold
	support []supportSums // of never intervening, then of each policy
	gram    packed        // sum over rows and m of (1{A=m} - p_m)^2 (f, h)(f, h)'
}

// blipBucket holds the sums of one bucket. Z, F, R = Z + F and L are those of
// one row; h stands in the place of f in Zh.
type blipBucket struct {
	trajectories int64  // with rows or not
	squares      packed // sum Z Z'
	moments      instrumented
	checks       instrumented
	policies     []policySums
	masks        policySums  // of every set of levels: L of (1, moderators) there
	cross        []crossSums // of never intervening, then of each policy
	taken        vector      // sum (1{A=m} f)_m
}

// instrumented are the sums of an instrument z with what it multiplies.
type instrumented struct {
	y []vector // per outcome of the panel, sum z Y
	x matrix   // sum z x'
	r matrix   // sum z (Z + F)'
}

// policySums are what one policy adds: pi its probability of intervening,
// L_t = sum over later rows of pi f, so that F^pi = F - L in its arm.
type policySums struct {
	l     matrix // sum Z L'
	total vector // sum pi f
}

// blipFold holds the normal equations of q_Y and q_F, rows unweighted.
type blipFold struct {
	gram  packed   // sum x x'
	cross []vector // per outcome of the panel, sum x Y
	f     matrix   // sum x F'
	taken matrix   // sum x (1{A=m} f)_m'
	l     []matrix // per policy, sum x L'
	masks matrix   // sum x L' of every set of levels
}

func newBlipSums(folds, outcomes, policies int) *blipSums {
	s := &blipSums{folds: make([]blipFold, folds), support: make([]supportSums, 1+policies)}
	for j := range s.buckets {
		b := &s.buckets[j]
		b.moments.y, b.checks.y = make([]vector, outcomes), make([]vector, outcomes)
		b.policies = make([]policySums, policies)
		b.cross = make([]crossSums, 1+policies)
		for i := range b.cross {
			b.cross[i].y = make([]float64, outcomes)
		}
	}
	for k := range s.folds {
		s.folds[k].cross = make([]vector, outcomes)
		s.folds[k].l = make([]matrix, policies)
	}
	return s
}

// keep leaves, of what is summed of policies, those at these places.
func (s *blipSums) keep(policies []int) {
	withNever := []int{0}
	for _, i := range policies {
		withNever = append(withNever, 1+i)
	}
	s.support = chosen(s.support, withNever)
	for j := range s.buckets {
		b := &s.buckets[j]
		b.policies, b.cross = chosen(b.policies, policies), chosen(b.cross, withNever)
	}
	for k := range s.folds {
		s.folds[k].l = chosen(s.folds[k].l, policies)
	}
}

func chosen[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = list[at]
	}
	return out
}

// add adds a batch with rows, laid out, whose scaled outcomes are y.
func (s *blipSums) add(b *batch, y []float64, sign float64) {
	l, n := &b.blip, b.padded
	to := &s.buckets[b.bucket]
	to.squares.addGram(sign, l.z.places, l.z.a, l.z.a, n)
	to.moments.add(sign, &l.z, b, y)
	to.checks.add(sign, &l.zh, b, y)
	to.taken.addSparse(sign, l.z.places, l.taken)
	for i := range to.policies {
		to.policies[i].l.addProduct(sign, l.z.places, l.f.places, l.z.a, l.l[i].a, n)
		to.policies[i].total.addSparse(sign, l.f.places, l.total[i])
	}
	if len(l.sets) > 0 {
		to.masks.l.addProduct(sign, l.z.places, l.s.places, l.z.a, l.s.a, n)
		to.masks.total.addSparse(sign, l.s.places, l.setTotal)
		s.folds[b.fold].masks.addProduct(sign, b.cols, l.s.places, b.x, l.s.a, n)
	}
	s.gram.addGram(sign, l.e.places, l.ee.a, l.e.a, n)

	fold := &s.folds[b.fold]
	fold.gram.addGram(sign, b.cols, b.x, b.x, n)
	for o := range fold.cross {
		fold.cross[o].addSparse(sign*y[o], b.cols, b.sumX)
	}
	fold.f.addProduct(sign, b.cols, l.z.places, b.x, l.later.a, n)
	fold.taken.addProduct(sign, b.cols, l.z.places, b.x, l.drawn.a, n)
	for i := range fold.l {
		fold.l[i].addProduct(sign, b.cols, l.f.places, b.x, l.l[i].a, n)
	}
}

func (s *instrumented) add(sign float64, z *laid, b *batch, y []float64) {
	b.sum = columnSums(zeros(b.sum, len(z.places)), z.a, b.n)
	for o := range s.y {
		s.y[o].addSparse(sign*y[o], z.places, b.sum)
	}
	s.x.addProduct(sign, z.places, b.cols, z.a, b.x, b.padded)
	s.r.addProduct(sign, z.places, b.blip.z.places, z.a, b.blip.r.a, b.padded)
}

// each does v to every sum, beside those of o.
func (s *blipSums) each(o *blipSums, x *axes, v sums) {
	for j := range s.buckets {
		a, b := &s.buckets[j], &o.buckets[j]
		v.packed(&a.squares, &b.squares, x.z)
		a.moments.each(&b.moments, x.z, x, v)
		a.checks.each(&b.checks, x.zh, x, v)
		for i := range a.policies {
			v.matrix(&a.policies[i].l, &b.policies[i].l, x.z, x.f)
			v.vector(&a.policies[i].total, &b.policies[i].total, x.f)
		}
		v.matrix(&a.masks.l, &b.masks.l, x.z, x.s)
		v.vector(&a.masks.total, &b.masks.total, x.s)
		for i := range a.cross {
			v.vector(&a.cross[i].x, &b.cross[i].x, x.x)
			v.vector(&a.cross[i].f, &b.cross[i].f, x.z)
		}
		v.vector(&a.taken, &b.taken, x.z)
	}
	for k := range s.folds {
		a, b := &s.folds[k], &o.folds[k]
		v.packed(&a.gram, &b.gram, x.x)
		for i := range a.cross {
			v.vector(&a.cross[i], &b.cross[i], x.x)
		}
		v.matrix(&a.f, &b.f, x.x, x.z)
		v.matrix(&a.taken, &b.taken, x.x, x.z)
		for i := range a.l {
			v.matrix(&a.l[i], &b.l[i], x.x, x.f)
		}
		v.matrix(&a.masks, &b.masks, x.x, x.s)
	}
	v.packed(&s.gram, &o.gram, x.e)
}

func (s *instrumented) each(o *instrumented, z axis, x *axes, v sums) {
	for i := range s.y {
		v.vector(&s.y[i], &o.y[i], z)
	}
	v.matrix(&s.x, &o.x, z, x.x)
	v.matrix(&s.r, &o.r, z, x.z)
}
