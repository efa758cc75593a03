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

// A segment's name has the time of its creation, later than that of any segment
// before it, and its salt. The salt is in the name rather than the header so that a
// damaged header costs nothing.
var segmentName = regexp.MustCompile(`^\d{8}T\d{6}-[0-9a-f]{32}\.log$`)

const (
	stampForm = "20060102T150405"
	saltBytes = 16
	extension = ".log"
)

// newName returns the name of the segment after the newest, which is "" for the
// first. A clock that was set back does not change the order.
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

// stampOf returns the time in a segment's name.
func stampOf(name string) time.Time {
	stamp, _ := time.Parse(stampForm, name[:len(stampForm)]) // isSegment has checked it
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

// newID returns an id that sorts after the last one, whatever the clock says. For the
// first change, last is "".
func newID(last string, now time.Time) string {
	when := now.UnixMilli()
	if before, _, ok := strings.Cut(last, "-"); ok {
		if past, err := strconv.ParseInt(before, 36, 64); err == nil && past >= when {
			when = past + 1
		}
	}
	return strconv.FormatInt(when, 36) + "-" + randomText(idRandom)
}

// randomText returns random characters 0-9 and a-z.
func randomText(length int) string {
	limit := new(big.Int).Exp(big.NewInt(36), big.NewInt(int64(length)), nil)
	number, _ := rand.Int(rand.Reader, limit) // never fails
	text := number.Text(36)
	return strings.Repeat("0", length-len(text)) + text
}
