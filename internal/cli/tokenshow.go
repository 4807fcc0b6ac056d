package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// printNewToken writes the secret to stdout, for programs to take, and all else to stderr.
func (a *app) printNewToken(made client.NewToken, asJSON bool) error {
	for _, n := range made.Notes {
		a.note("note", "2", n)
	}
	if asJSON {
		return a.out.json(made)
	}
	t := made.Token
	about := "token " + t.Name + " (" + t.ID + ")"
	if t.Agent != "" {
		about += " for agent " + t.Agent
	}
	if t.Owner {
		about += ", the owner's"
	}
	if !t.Expires.IsZero() {
		about += ", until " + minute(t.Expires)
	}
	a.note("note", "2", about+"; this is the only time that its secret is shown")
	a.note("hint", "36", "programs send it as the header Authorization: Bearer SECRET")
	a.out.printf("%s\n", made.Secret)
	return nil
}

func (a *app) printTokens(tokens []client.Token) {
	if len(tokens) == 0 {
		a.note("note", "2", "there are no tokens")
		a.note("hint", "36", "make one with: toolcrib token create NAME")
		return
	}
	now := time.Now()
	rows := make([][]string, 0, len(tokens))
	for _, t := range tokens {
		rows = append(rows, []string{folded(t.ID), folded(t.Name), orDash(folded(t.Agent)), tokenState(t, now), minute(t.LastUsed), tokenLimits(t)})
	}
	a.out.rows([]string{"ID", "NAME", "AGENT", "STATE", "LAST USED", "MORE"}, rows)
}

// tokenState says whether a token can be used, and how long.
func tokenState(t client.Token, now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case t.Expires.IsZero():
		return "good"
	case !now.Before(t.Expires):
		return "expired"
	}
	return "until " + minute(t.Expires)
}

// tokenLimits is what else there is to know of a token, in one cell.
func tokenLimits(t client.Token) string {
	var more []string
	if t.Owner {
		more = append(more, "owner")
	}
	if t.Harness != "" {
		more = append(more, "harness "+folded(t.Harness))
	}
	if len(t.Allow) > 0 {
		more = append(more, "allow "+folded(strings.Join(t.Allow, " ")))
	}
	if len(t.Deny) > 0 {
		more = append(more, "deny "+folded(strings.Join(t.Deny, " ")))
	}
	return orDash(strings.Join(more, ", "))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// minute is a time of day at this place, to the minute; "-" for none.
func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// maxExpiry is as far as --expires reaches, a hundred years.
const maxExpiry = 100 * 365 * 24 * time.Hour

// expiry reads --expires: a time from now with the units of Go and d and w, a date,
// which counts from its midnight here, or a date and time of RFC 3339. Nothing and
// "never" are no end.
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "" || text == "never" {
		return time.Time{}, nil
	}
	for unit, day := range map[string]int{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(number); ok && err == nil && n > 0 && n <= int(maxExpiry/(24*time.Hour)) {
			return now.AddDate(0, 0, n*day), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 && d <= maxExpiry {
		return now.Add(d), nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil && at.After(now) {
		return at, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(now) {
		return at, nil
	}
	return time.Time{}, toolcrib.NewError(toolcrib.KindInput, "--expires "+text+" is no time to come", "such as: 12h, 30d, 8w, 2030-01-31, or never")
}
