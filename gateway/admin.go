package gateway

import "github.com/toolcrib/toolcrib/internal/token"

// AdminToken reads the admin token of a state folder, which Serve has made: for
// client.WithToken. It fails with KindUnavailable when there is none, or when this
// user may not read it.
func AdminToken(stateDir string) (string, error) { return token.NewAdmin(stateDir, nil).Secret() }

// RotateAdminToken puts a new admin token in place of the one before, which opens
// nothing from then on, and returns the file that holds it. A gateway that runs
// takes the new one at once.
func RotateAdminToken(stateDir string) (file string, err error) {
	admin := token.NewAdmin(stateDir, nil)
	if err := admin.Ensure(); err != nil {
		return admin.Path(), err
	}
	return admin.Path(), admin.Rotate()
}
