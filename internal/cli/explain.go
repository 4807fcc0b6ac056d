package cli

import "encoding/json"

// printExplain writes the account of the scores below the hits.
func (a *app) printExplain(raw json.RawMessage) error {
	a.out.printf("\n%s\n%s\n", a.out.bold("explain"), a.out.shown(indented(raw)))
	return nil
}
