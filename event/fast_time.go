package event

// The years that instant takes, in the clock of the text. With any offset they
// lie within the range of Time.
const firstYear, lastYear = 1679, 2261

const (
	nanos         = 1_000_000_000 // in a second
	daySeconds    = 86_400
	nanoDigits    = 9
	secondsLength = len("0000-00-00T00:00:00")
)

// instant reads YYYY-MM-DDTHH:MM:SS, a fraction of up to nine digits or none,
// and Z or an offset; next is the position behind it.
func instant(b []byte, i int) (t Time, next int) {
	if i < 0 || len(b)-i <= secondsLength {
		return 0, nowhere
	}
	s := b[i : i+secondsLength+1]
	if s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, nowhere
	}
	year, month, day := 100*two(s, 0)+two(s, 2), two(s, 5), two(s, 8)
	hour, minute, second := two(s, 11), two(s, 14), two(s, 17)
	if year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return 0, nowhere
	}
	i += secondsLength
	nano := 0
	if b[i] == '.' {
		if nano, i = fraction(b, i+1); i < 0 {
			return 0, nowhere
		}
	}
	ahead, i := offset(b, i)
	seconds := int64(daysTo(year, month, day))*daySeconds + int64(hour*3600+minute*60+second-ahead)
	return Time(seconds*nanos + int64(nano)), i
}

// bad is what two gives for what is no digits: too large for every part of a
// time, and as either half of a year.
const bad = 10_000

// two is a number of two digits.
func two(s []byte, i int) int {
	tens, units := s[i]-'0', s[i+1]-'0'
	if tens > 9 || units > 9 {
		return bad
	}
	return int(tens)*10 + int(units)
}

// fraction reads the nanoseconds behind the point.
func fraction(b []byte, i int) (nano, next int) {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		if i == start+nanoDigits {
			return 0, nowhere
		}
		nano = 10*nano + int(b[i]-'0')
		i++
	}
	if i == start {
		return 0, nowhere
	}
	for n := i - start; n < nanoDigits; n++ {
		nano *= 10
	}
	return nano, i
}

// offset reads the zone as the seconds by which its clock is ahead of UTC.
func offset(b []byte, i int) (ahead, next int) {
	switch {
	case i < len(b) && b[i] == 'Z':
		return 0, i + 1
	case len(b)-i < len("+00:00") || b[i+3] != ':':
		return 0, nowhere
	}
	hours, minutes := two(b, i+1), two(b, i+4)
	if hours > 23 || minutes > 59 {
		return 0, nowhere
	}
	ahead = hours*3600 + minutes*60
	switch b[i] {
	case '+':
		return ahead, i + len("+00:00")
	case '-':
		return -ahead, i + len("+00:00")
	}
	return 0, nowhere
}

var monthDays = [...]int{1: 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func daysIn(year, month int) int {
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 29
	}
	return monthDays[month]
}

// daysTo counts the days since 1970-01-01. The year begins in March, so that the
// leap day is its last (H. Hinnant, chrono-compatible low-level date algorithms,
// days_from_civil; for years from 0 on).
func daysTo(year, month, day int) int {
	month -= 3
	if month < 0 {
		month += 12
		year--
	}
	era, ofEra := year/400, year%400
	ofYear := (153*month+2)/5 + day - 1
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719_468
}
