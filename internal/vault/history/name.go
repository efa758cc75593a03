package history

import (
	"crypto/rand"
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A segment's name has the time of its begin, later than that of any segment
// before it, and its salt. The name, not the header, has the salt, so that a
// damaged header costs nothing.
var segmentName = regexp.MustCompile(`^\d{8}T\d{6}-[0-9a-f]{32}\.log$`)

const (
	stampForm = "20060102T150405"
	saltBytes = 16
	extension = ".log"
)

// newName names the segment that comes after the newest; "" where there is
// none. A clock that went back does not change the order.
func newName(newest string, now time.Time, salt string) string {
	stamp := now.UTC()
	if newest != "" {
		if next := stampOf(newest).Add(time.Second); stamp.Before(next) {
			stamp = next
		}
	}
	return stamp.Format(stampForm) + "-" + salt + extension
}

func newSalt() string {
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails
	return hex.EncodeToString(salt)
}

func saltOf(name string) string {
	return strings.TrimSuffix(name[len(stampForm)+1:], extension)
}

// stampOf is the time in a segment's name.
func stampOf(name string) time.Time {
	stamp, _ := time.Parse(stampForm, name[:len(stampForm)]) // names of other forms are no segments
	return stamp
}

func isSegment(name string) bool {
	if !segmentName.MatchString(name) {
		return false
	}
	_, err := time.Parse(stampForm, name[:len(stampForm)])
	return err == nil
}

const idRandom = 4

// newID names the change that comes after the last; "" where there is none. It sorts
// after it whatever the clock says.
func newID(last string, now time.Time) string {
	when := now.UnixMilli()
	if before, _, ok := strings.Cut(last, "-"); ok {
		if past, err := strconv.ParseInt(before, 36, 64); err == nil && past >= when {
			when = past + 1
		}
	}
	return strconv.FormatInt(when, 36) + "-" + randomText(idRandom)
}

// randomText has so many characters of 0-9 and a-z.
func randomText(length int) string {
	most := new(big.Int).Exp(big.NewInt(36), big.NewInt(int64(length)), nil)
	number, _ := rand.Int(rand.Reader, most) // never fails
	text := number.Text(36)
	return strings.Repeat("0", length-len(text)) + text
}
