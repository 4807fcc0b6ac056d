package engine

import (
	"errors"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// rejections keeps the reasons of promises that were rejected and that nobody
// handles (yet), in a list of the script's realm. The Go API of QuickJS has no
// way to ask for them, so that this goes to the C API behind it.
type rejections struct {
	// tracker is called by the engine, which the garbage collector can't see.
	tracker func(tls *libc.TLS, ctx uintptr, promise, reason libquickjs.TJSValue, handled int32, opaque uintptr)
	list    libquickjs.TJSValue
	found   bool
	at      map[libquickjs.TJSValue]uint32
	free    []uint32
	next    uint32
}

// watchRejections defines the global $rejections: a list without prototype,
// in which each place that exists holds the reason of an unhandled rejection.
func watchRejections(vm *quickjs.VM) (*rejections, error) {
	rt, err := runtimeOf(vm)
	if err != nil {
		return nil, err
	}
	r := &rejections{at: map[libquickjs.TJSValue]uint32{}}
	r.tracker = r.track
	tls := libc.NewTLS()
	defer tls.Close()
	libquickjs.XJS_SetHostPromiseRejectionTracker(tls, rt, *(*uintptr)(unsafe.Pointer(&r.tracker)), 0)
	// The first rejection brings the list.
	v, err := vm.EvalValue("globalThis.$rejections = Object.setPrototypeOf([], null); Promise.reject($rejections)", quickjs.EvalGlobal)
	if err != nil {
		return nil, err
	}
	v.Free()
	if !r.found {
		return nil, errors.New("the engine doesn't tell of rejections")
	}
	return r, nil
}

// runtimeOf reads the C pointer of a VM's runtime.
func runtimeOf(vm *quickjs.VM) (uintptr, error) {
	field := reflect.ValueOf(vm).Elem().FieldByName("runtime")
	if field.IsValid() && field.Kind() == reflect.Pointer {
		if c := field.Elem().FieldByName("cRuntime"); c.IsValid() && c.Kind() == reflect.Uintptr {
			return uintptr(c.Uint()), nil
		}
	}
	return 0, errors.New("this version of QuickJS keeps its runtime elsewhere")
}

func (r *rejections) track(tls *libc.TLS, ctx uintptr, promise, reason libquickjs.TJSValue, handled int32, _ uintptr) {
	switch {
	case !r.found:
		r.list, r.found = libquickjs.XDupValue(tls, ctx, reason), true
	case handled == 0:
		r.add(tls, ctx, promise, reason)
	default:
		r.remove(tls, ctx, promise)
	}
}

// add keeps the promise too: its address is the key, and must not be used again.
func (r *rejections) add(tls *libc.TLS, ctx uintptr, promise, reason libquickjs.TJSValue) {
	place := r.next
	if n := len(r.free); n > 0 {
		place, r.free = r.free[n-1], r.free[:n-1]
	} else {
		r.next++
	}
	r.at[libquickjs.XDupValue(tls, ctx, promise)] = place
	libquickjs.XJS_DefinePropertyValueUint32(tls, ctx, r.list, place, libquickjs.XDupValue(tls, ctx, reason), libquickjs.MJS_PROP_C_W_E)
}

func (r *rejections) remove(tls *libc.TLS, ctx uintptr, promise libquickjs.TJSValue) {
	place, ok := r.at[promise]
	if !ok {
		return
	}
	delete(r.at, promise)
	r.free = append(r.free, place)
	libquickjs.XJS_DeletePropertyInt64(tls, ctx, r.list, int64(place), 0)
	libquickjs.XFreeValue(tls, ctx, promise)
}
