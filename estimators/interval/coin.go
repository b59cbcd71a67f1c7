package interval

import "math"

// coinAlpha is the chance of ever raising a false alarm about a coin.
const coinAlpha = 0.001

// coinDraws is the number of draws at which Coin is most sensitive.
const coinDraws = 1000

// CoinAlarm is the evidence from which on a coin is said to be off: it is
// reached with a chance of at most coinAlpha, ever, when it is not.
const CoinAlarm = 1 / coinAlpha

// Coin is the evidence (an e-value: 1 says nothing, CoinAlarm is an alarm)
// that draws were not made with the probabilities they came with. excess is
// the sum over draws of 1{arm drawn} - p, draws their number; the p may differ
// from draw to draw and depend on the past. Each term has mean zero and lies
// in an interval of length 1, so its variance proxy is 1/4 (Hoeffding), and
//
//	E = (1 + v rho^2)^(-1/2) exp(rho^2 excess^2 / (2 (1 + v rho^2))),  v = draws/4
//
// is a normal mixture of supermartingales: valid at every moment (Robbins
// 1970; Howard, Ramdas, McAuliffe and Sekhon 2021, proposition 5). It is
// capped at 1e300, so that it stays a number.
func Coin(excess float64, draws int64) float64 {
	if draws <= 0 {
		return 1
	}
	rho2 := (-lambertLower(-coinAlpha*coinAlpha/math.E) - 1) / (coinDraws / 4.0)
	v := 1 + float64(draws)/4*rho2
	log := rho2*excess*excess/(2*v) - math.Log(v)/2
	return math.Exp(min(log, 300*math.Ln10))
}
