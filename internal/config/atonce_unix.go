//go:build unix

package config

import "syscall"

// atOnce makes an open fail, or succeed, without waiting for anybody.
const atOnce = syscall.O_NONBLOCK
