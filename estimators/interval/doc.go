// Package interval turns sums into intervals and evidence that keep their
// promise: Student's interval for one look fixed beforehand, the confidence
// sequence for looking whenever one likes, and the evidence that a coin was
// drawn as it was said to be.
//
// It promises finite answers or a plain "no": a quantile that overflows is an
// answer of ok == false, never an infinity. It is pure.
package interval
