package sandboxtest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// absent are names that must mean nothing.
var absent = strings.Fields(`require module exports process global window self document navigator Deno Bun std os bjson print load read write
	fetch XMLHttpRequest WebSocket EventSource Request Response Headers URL URLSearchParams Blob File FileReader FormData
	setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask requestAnimationFrame
	Worker SharedWorker MessageChannel MessagePort BroadcastChannel postMessage importScripts
	WebAssembly SharedArrayBuffer Atomics WeakRef FinalizationRegistry performance crypto Buffer TextEncoder structuredClone
	eval scriptArgs gc __filename __dirname localStorage sessionStorage indexedDB caches alert prompt
	$call $log $done $fail $rejections AsyncFunction GeneratorFunction`)

// refused is code that must throw.
var refused = []struct{ name, code string }{
	{"eval", "eval('1')"},
	{"indirect eval", "(0, eval)('1')"},
	{"eval by name", "globalThis['ev' + 'al']('1')"},
	{"Function", "Function('return 1')()"},
	{"new Function", "new Function('return 1')()"},
	{"Function of globalThis", "globalThis.Function('return 1')()"},
	{"constructor of a function", "(() => {}).constructor('return 1')()"},
	{"constructor of a constructor", "[].constructor.constructor('return 1')()"},
	{"constructor of a host function", "host.echo.constructor('return 1')()"},
	{"constructor of console", "console.log.constructor('return 1')()"},
	{"constructor of a host's namespace", "host.constructor.constructor('return 1')()"},
	{"constructor of a host's promise", "host.echo(1).constructor.constructor('return 1')()"},
	{"constructor of an async function", "(async () => {}).constructor('return 1')()"},
	{"constructor of a generator", "(function* () {}).constructor('yield 1')()"},
	{"constructor of an async generator", "(async function* () {}).constructor('yield 1')()"},
	{"constructor by prototype", "Object.getPrototypeOf(async () => {}).constructor('return 1')()"},
	{"constructor by Reflect", "Reflect.construct((() => {}).constructor, ['return 1'])()"},
	{"constructor of a class", "class A {}; A.constructor('return 1')()"},
	{"heir of Function", "class F extends Function {}; new F('return 1')()"},
	{"constructor of bound", "(function () {}).bind().constructor('return 1')()"},
	{"constructor of an error of the host", "try { await host.fail() } catch (e) { e.constructor.constructor('return 1')() }"},
	{"constructor of the data of an error", "try { await host.fail() } catch (e) { e.data.constructor.constructor('return 1')() }"},
	{"constructor of an answer", "(await host.echo({})).constructor.constructor('return 1')()"},
	{"putting Function back", "Object.defineProperty((() => {}).__proto__, 'constructor', {value: 1})"},
	{"this", "(function () { return this })().process.exit()"},
	{"import", "await import('fs')"},
	{"import of os", "await import('os')"},
	{"import of std", "await import('std')"},
	{"import of a file", "await import('/etc/passwd')"},
	{"import of data", "await import('data:text/javascript,export default 1')"},
	{"import of JSON", "await import('/etc/passwd', {with: {type: 'json'}})"},
	{"constructor of a rejected import", "try { await import('fs') } catch (e) { e.constructor.constructor('return 1')() }"},
	{"shadow realm", "new ShadowRealm().evaluate('1')"},
	{"Error.prepareStackTrace", "Error.prepareStackTrace = (e, sites) => sites[0].getThis().process.pid; throw new Error('x')"},
	{"caller", "(function f() { return f.caller.arguments })()"},
	{"callee", "(function () { return arguments.callee.caller('return 1') })()"},
	{"process by getter on Object", "Object.defineProperty(Object.prototype, 'then', {get() { throw new Error('seen') }}); await host.echo({}); throw new Error('ended')"},
}

// harmless is code that changes the language and must not change the bridge:
// it ends with the value that it would have had.
var harmless = []struct{ name, code, want string }{
	{"Array.prototype", "for (const k of Object.getOwnPropertyNames(Array.prototype)) if (k !== 'length' && k !== 'constructor') try { Array.prototype[k] = () => { throw 1 } } catch {}\nreturn await host.all(1, [2], {a: 3})", `[1,[2],{"a":3}]`},
	{"Array setters", "for (let i = 0; i < 20; i++) Object.defineProperty(Array.prototype, i, {set() { throw new Error('set') }, get() { return 'got' }})\nreturn host.all(1, 2)", `[1,2]`},
	{"Array iterator", "Array.prototype[Symbol.iterator] = () => { throw 1 }; return host.all(1, 2)", `[1,2]`},
	{"Object setters", "for (const k of ['kind', 'message', 'n', 'resolve', 'reject', 'value', 'stack', 'out', 'reason']) Object.defineProperty(Object.prototype, k, {__proto__: null, set() { throw new Error('set ' + k) }, get() { return 'got' }, configurable: true})\nreturn host.all({a: 1})", `[{"a":1}]`},
	{"toJSON of all", "Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = Number.prototype.toJSON = () => 'forged'; return host.all({a: [1, 'x']})", `[{"a":[1,"x"]}]`},
	{"JSON", "JSON.stringify = () => 'forged'; JSON.parse = () => 'forged'; return host.all({a: 1})", `[{"a":1}]`},
	{"Promise", "Promise.prototype.then = Promise.prototype.catch = () => { throw 1 }; Promise.resolve = Promise.reject = () => 1; globalThis.Promise = function () { throw 1 }\nreturn await host.all(1)", `[1]`},
	{"Symbol.species", "Object.defineProperty(Promise, Symbol.species, {get() { throw new Error('species') }}); return await host.echo(1)", `1`},
	{"hasInstance", "for (const C of [Date, Map, Set, Error, Promise, Array]) Object.defineProperty(C, Symbol.hasInstance, {value() { throw 1 }}); return host.all({a: 1})", `[{"a":1}]`},
	{"Function.prototype", "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }; return host.echo(1)", `1`},
	{"Reflect and Object", "for (const O of [Reflect, Object]) for (const k of Object.getOwnPropertyNames(O)) try { O[k] = () => { throw 1 } } catch {}\nreturn host.all({a: 1})", `[{"a":1}]`},
	{"WeakMap", "WeakMap.prototype.get = WeakMap.prototype.set = WeakMap.prototype.has = () => { throw 1 }; return host.all({a: 1})", `[{"a":1}]`},
	{"String.prototype", "for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'length') try { String.prototype[k] = () => { throw 1 } } catch {}\nreturn host.all({a: 'x'})", `[{"a":"x"}]`},
	{"RegExp.prototype", "RegExp.prototype.exec = RegExp.prototype.test = () => { throw 1 }; return host.all({'a b': 1n}).then(x => x)", `[{"a b":"1"}]`},
	{"globals", "for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'host') try { delete globalThis[k]; globalThis[k] = 1 } catch {}\nreturn await host.all({a: [1]})", `[{"a":[1]}]`},
	{"frozen", "Object.freeze(globalThis); Object.freeze(Object.prototype); Object.freeze(Array.prototype); return host.all(1)", `[1]`},
	{"answers", "const o = await host.echo({a: 1}); o.__proto__.x = 1; delete Object.prototype.x; return host.echo({b: 2})", `{"b":2}`},
}

// Escapes tests that a script reaches nothing but the language and its host.
func Escapes(t *testing.T, r sandbox.Runtime) {
	t.Run("absent", func(t *testing.T) {
		names, _ := json.Marshal(absent) // texts can always be written
		out := good(t, r, "return "+string(names)+".filter(name => name in globalThis)")
		wantJSON(t, out.Value, `[]`)
		for _, name := range absent {
			if name == "eval" || strings.HasPrefix(name, "import") {
				continue
			}
			out := good(t, r, "return typeof "+name)
			wantJSON(t, out.Value, `"undefined"`)
		}
	})
	t.Run("globals", func(t *testing.T) { testGlobals(t, r) })
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			out := do(t, r, script(test.code))
			if out.Failure == nil || out.Failure.Kind == sandbox.KindInternal || out.Failure.Kind == sandbox.KindTimeout {
				t.Errorf("%s\nreturns %s, fails with %v; want it refused", test.code, out.Value, out.Failure)
			}
		})
	}
	for _, test := range harmless {
		t.Run("changed "+test.name, func(t *testing.T) {
			wantJSON(t, good(t, r, test.code).Value, test.want)
		})
	}
	t.Run("calls can't be forged", func(t *testing.T) {
		out := good(t, r, "Object.prototype.n = 7; Object.prototype.function = 'host.fail'; Object.prototype.args = [1]; return await host.echo(2)")
		wantJSON(t, out.Value, `2`)
		if len(out.Calls) != 1 || out.Calls[0].Function != "host.echo" || string(out.Calls[0].Args) != "[2]" {
			t.Errorf("the calls are %+v", out.Calls)
		}
	})
	t.Run("children share nothing", func(t *testing.T) {
		good(t, r, "globalThis.left = 1; Object.prototype.left = 2; return 1")
		wantJSON(t, good(t, r, "return [typeof left, {}.left === undefined]").Value, `["undefined",true]`)
	})
}

// testGlobals lists all that a script can name.
func testGlobals(t *testing.T, r sandbox.Runtime) {
	out := good(t, r, "return Object.getOwnPropertyNames(globalThis)")
	var names []string
	if err := json.Unmarshal(out.Value, &names); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for name := range strings.FieldsSeq(`Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError
		SuppressedError Iterator Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
		Infinity NaN undefined Number Boolean String Math Reflect Symbol Date RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer DataView
		Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array
		Float64Array BigInt Promise globalThis Intl console host`) {
		known[name] = true
	}
	var odd []string
	for _, name := range names {
		if !known[name] {
			odd = append(odd, name)
		}
	}
	if diff := cmp.Diff([]string(nil), odd); diff != "" {
		t.Errorf("globals that nobody asked for:\n%s", diff)
	}
}
