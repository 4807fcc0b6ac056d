package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
)

// childRole names what this program does as a child of a test.
const childRole = "SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childRole) != "" {
		if err := child(os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child writes n events, one at a time, waits before for a line on its input, and
// prints the number of each that was written. n of 0 goes on for ever.
func child(path, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	ctx := context.Background()
	d, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer d.Close()
	for i := 0; n == 0 || i < n; i++ {
		e := session.Event{Time: time.Now(), Kind: session.KindStarted, Session: name, CallID: strconv.Itoa(i)}
		if err := d.Sessions().Append(ctx, []session.Event{e}); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}
