// The script's side of the sandbox. It is evaluated in the script's own realm
// before any of the script's code, and gives back the functions by which the
// runtime drives it. Everything of the language that it needs later is taken
// into local names here: a script may change whatever it likes afterwards.
//
// host: call(n, name, args), log(level, text), done(value, notes), fail(json),
// bytes(text) → its length in UTF-8, and pending(), which gives {reason} of a
// rejection that nobody handled.
(function (host) {
  'use strict';

  const hostCall = host.call, hostLog = host.log, hostDone = host.done, hostFail = host.fail, hostPending = host.pending, hostBytes = host.bytes;

  const { apply, construct, getPrototypeOf, ownKeys } = Reflect;
  const { defineProperty, keys: objectKeys, hasOwn, freeze, setPrototypeOf } = Object;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const ObjectPrototype = Object.prototype, ArrayPrototype = Array.prototype;
  const { isArray } = Array, { isFinite } = Number;
  const parse = JSON.parse, stringify = JSON.stringify;
  const quote = text => stringify(text);
  const P = Promise, promiseReject = Promise.reject.bind(Promise);
  const hasInstance = uncurry(Function.prototype[Symbol.hasInstance]), inChain = uncurry(ObjectPrototype.isPrototypeOf);
  const E = Error, TE = TypeError, D = Date, M = Map, S = Set, RX = RegExp, AB = ArrayBuffer, U8 = Uint8Array;
  const Boxes = [Number, String, Boolean, BigInt, Symbol];
  const unboxers = [Number.prototype.valueOf, String.prototype.valueOf, Boolean.prototype.valueOf, BigInt.prototype.valueOf, Symbol.prototype.valueOf];
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get);
  const typedTag = getter(getPrototypeOf(U8.prototype), Symbol.toStringTag);
  const typedLength = getter(getPrototypeOf(U8.prototype), 'length');
  const isView = AB.isView;
  const dateTime = uncurry(D.prototype.getTime), dateISO = uncurry(D.prototype.toISOString);
  const mapForEach = uncurry(M.prototype.forEach), setForEach = uncurry(S.prototype.forEach), mapSize = getter(M.prototype, 'size');
  const regexpText = uncurry(RX.prototype.toString);
  const symbolText = uncurry(Symbol.prototype.toString);
  const WM = WeakMap, wmGet = uncurry(WM.prototype.get), wmSet = uncurry(WM.prototype.set), wmHas = uncurry(WM.prototype.has);
  const wmDelete = uncurry(WM.prototype.delete);
  const slice = uncurry(String.prototype.slice), indexOf = uncurry(String.prototype.indexOf);
  const IteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const isName = uncurry(RX.prototype.exec).bind(undefined, /^[A-Za-z_$][\w$]*$/);

  // is reports whether an object was made by a constructor or its heirs. A
  // proxy may throw at this.
  function is(constructor, object) {
    try {
      return hasInstance(constructor, object);
    } catch {
      return false;
    }
  }

  const list = () => setPrototypeOf([], null);
  const record = () => setPrototypeOf({}, null);

  // ---- values → JSON -------------------------------------------------------

  const tooLong = freeze(record());
  const maxDepth = 200, maxNotes = 20;
  let out = '', size = 0, limit = 0, base = '', path = list(), depth = 0;
  let onStack, promises, settled = new WM(), quiet = false;
  let notesText = '', noteCount = 0;

  function addNote(text) {
    noteCount++;
    if (noteCount > maxNotes) return;
    notesText += (notesText === '' ? '' : ',') + quote(slice(text, 0, 300));
  }

  function place() {
    let text = base;
    for (let i = 0; i < depth; i++) {
      const key = path[i];
      if (typeof key === 'number') text += '[' + key + ']';
      else if (isName(key)) text += '.' + key;
      else text += '[' + quote(key) + ']';
    }
    return text;
  }

  function note(text) {
    if (!quiet) addNote(place() + ': ' + text);
  }

  function emit(text) {
    out += text;
    size += text.length;
    if (size > limit) throw tooLong;
  }

  const failed = freeze(record());

  // read gets a property, and says so when that throws.
  function read(object, key) {
    try {
      return object[key];
    } catch (e) {
      return note('reading it threw ' + brief(e) + ', so it became null'), failed;
    }
  }

  // resolve applies toJSON as JSON.stringify does, but for those that a script
  // put on the prototypes of all objects.
  function resolve(value, key) {
    if (typeof value !== 'object' || value === null || is(D, value) || is(P, value)) return value;
    let method;
    try {
      method = value.toJSON;
    } catch (e) {
      return note('reading toJSON threw ' + brief(e) + ', so it became null'), null;
    }
    if (typeof method !== 'function' || method === ObjectPrototype.toJSON || method === ArrayPrototype.toJSON) return value;
    try {
      return apply(method, value, ['' + key]);
    } catch (e) {
      return note('toJSON threw ' + brief(e) + ', so it became null'), null;
    }
  }

  function functionName(f) {
    try {
      return typeof f.name === 'string' && f.name !== '' ? ' ' + slice(f.name, 0, 60) : '';
    } catch {
      return '';
    }
  }

  // write appends the JSON of a value that isn't undefined.
  function write(value) {
    switch (typeof value) {
      case 'string':
        if (size + value.length > limit) throw tooLong;
        return emit(quote(value));
      case 'boolean':
        return emit(value ? 'true' : 'false');
      case 'number':
        if (isFinite(value)) return emit('' + value);
        note(value + ' became null');
        return emit('null');
      case 'bigint':
        note('a BigInt became text');
        return emit('"' + value + '"');
      case 'symbol':
        note('a symbol became text');
        return emit(quote(symbolText(value)));
      case 'function':
        note('a function became text');
        return emit(quote('[function' + functionName(value) + ']'));
      case 'undefined':
        return emit('null');
    }
    if (value === null || value === failed) return emit('null');
    if (wmHas(onStack, value)) {
      note('a cycle was cut');
      return emit('"[cycle]"');
    }
    if (depth >= maxDepth) {
      note('nested deeper than ' + maxDepth + ' levels, so it was cut');
      return emit('"[too deep]"');
    }
    wmSet(onStack, value, true);
    try {
      writeObject(value);
    } finally {
      wmDelete(onStack, value);
    }
  }

  function enter(key, value) {
    path[depth++] = key;
    write(value);
    depth--;
  }

  function prototype(value) {
    try {
      return getPrototypeOf(value);
    } catch {
      return null;
    }
  }

  function writeObject(value) {
    if (isArray(value)) return writeArray(value);
    const proto = prototype(value);
    if (proto === ObjectPrototype || proto === null) return writePlain(value);
    if (isView(value)) return writeBytes(value);
    const before = { out, size, depth };
    try {
      if (writeSpecial(value)) return;
    } catch (e) {
      if (e === tooLong) throw e;
      ({ out, size, depth } = before);
      note('reading it threw ' + brief(e) + ', so only its own properties were taken');
    }
    writePlain(value);
  }

  function writeSpecial(value) {
    if (is(D, value)) {
      const time = dateTime(value);
      note(isFinite(time) ? 'a Date became text' : 'an invalid Date became null');
      emit(isFinite(time) ? quote(dateISO(value)) : 'null');
    } else if (is(P, value)) writePromise(value);
    else if (is(M, value)) writeMap(value);
    else if (is(S, value)) writeSet(value);
    else if (is(E, value)) writeError(value);
    else if (is(RX, value)) {
      const text = regexpText(value);
      note('a RegExp became text');
      emit(quote(text));
    } else if (is(AB, value)) writeBytes(new U8(value));
    else if (inChain(IteratorPrototype, value)) writeIterator(value);
    else return writeBox(value);
    return true;
  }

  function writeBox(value) {
    for (let i = 0; i < Boxes.length; i++) {
      if (!is(Boxes[i], value)) continue;
      const bare = apply(unboxers[i], value, []);
      write(bare);
      return true;
    }
    return false;
  }

  function writeArray(value) {
    const length = value.length;
    if (length > 1000 && objectKeys(value).length < length / 2) {
      note('a sparse array of length ' + length + ' became an object');
      return writePlain(value);
    }
    emit('[');
    for (let i = 0; i < length; i++) {
      if (i > 0) emit(',');
      path[depth++] = i;
      write(resolve(read(value, i), i));
      depth--;
    }
    emit(']');
  }

  function writePlain(value) {
    let names;
    try {
      names = objectKeys(value);
    } catch (e) {
      note('listing its properties threw ' + brief(e) + ', so it became null');
      return emit('null');
    }
    let first = true;
    emit('{');
    for (let i = 0; i < names.length; i++) first = writeProperty(names[i], value, first);
    emit('}');
  }

  function writeProperty(name, object, first) {
    path[depth++] = name;
    const value = resolve(read(object, name), name);
    if (value !== undefined && !(name === 'toJSON' && typeof value === 'function')) {
      emit((first ? '' : ',') + quote(name) + ':');
      write(value);
      first = false;
    }
    depth--;
    return first;
  }

  function writeMap(map) {
    const size = mapSize(map);
    let allText = true, first = true;
    mapForEach(map, (_, key) => { if (typeof key !== 'string' && typeof key !== 'number') allText = false; });
    note(allText ? 'a Map became an object' : 'a Map became an array of pairs');
    emit(allText ? '{' : '[');
    let i = 0;
    mapForEach(map, (value, key) => {
      if (!first) emit(',');
      first = false;
      if (allText) {
        emit(quote('' + key) + ':');
        return enter('' + key, resolve(value, key));
      }
      path[depth++] = i++;
      emit('[');
      write(resolve(key, 0));
      emit(',');
      write(resolve(value, 1));
      emit(']');
      depth--;
    });
    emit(allText ? '}' : ']');
    return size;
  }

  function writeSet(set) {
    note('a Set became an array');
    emit('[');
    let i = 0;
    setForEach(set, value => {
      if (i > 0) emit(',');
      enter(i++, resolve(value, i));
    });
    emit(']');
  }

  function writeIterator(iterator) {
    note('an iterator became an array');
    emit('[');
    for (let i = 0; ; i++) {
      const step = iterator.next();
      if (step.done) break;
      if (i > 0) emit(',');
      enter(i, resolve(step.value, i));
    }
    emit(']');
  }

  function writeBytes(view) {
    if (typedTag(view) === undefined) view = new U8(view.buffer, view.byteOffset, view.byteLength);
    const length = typedLength(view);
    note('a ' + typedTag(view) + ' became an array');
    const before = quiet;
    quiet = true;
    try {
      emit('[');
      for (let i = 0; i < length; i++) {
        if (i > 0) emit(',');
        write(view[i]);
      }
      emit(']');
    } finally {
      quiet = before;
    }
  }

  function writeError(error) {
    note('an Error became an object');
    emit('{"name":' + quote(textOf(error, 'name')) + ',"message":' + quote(textOf(error, 'message')));
    const names = objectKeys(error);
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== 'name' && names[i] !== 'message' && names[i] !== 'stack') writeProperty(names[i], error, false);
    }
    emit('}');
  }

  function writePromise(promise) {
    if (promises === undefined) {
      note('a promise became text');
      return emit('"[promise]"');
    }
    if (wmHas(settled, promise)) {
      note('a promise that was not awaited; its value was taken');
      return write(resolve(wmGet(settled, promise).value, ''));
    }
    promises[promises.length] = promise;
    emit('null');
  }

  // encode starts a new text; most is the largest length, in UTF-16 units.
  function encode(value, name, most) {
    out = '';
    size = 0;
    limit = most;
    base = name;
    depth = 0;
    onStack = new WM();
    write(resolve(value, ''));
    return out;
  }

  // ---- errors --------------------------------------------------------------

  function textOf(object, key) {
    try {
      const value = object[key];
      return typeof value === 'string' ? slice(value, 0, 2000) : value === undefined ? '' : slice('' + value, 0, 2000);
    } catch {
      return '';
    }
  }

  // brief names whatever was thrown in a few words.
  function brief(thrown) {
    if (isError(thrown)) {
      const name = textOf(thrown, 'name'), message = textOf(thrown, 'message');
      return name === '' ? message : message === '' ? name : name + ': ' + message;
    }
    if (thrown === undefined) return 'undefined';
    const kept = { out, size, limit, base, depth, onStack, promises };
    const loud = quiet;
    try {
      quiet = true;
      promises = undefined;
      return slice(typeof thrown === 'string' ? thrown : '' + encode(thrown, '', 500), 0, 500);
    } catch {
      return 'a value that can not be shown';
    } finally {
      quiet = loud;
      ({ out, size, limit, base, depth, onStack, promises } = kept);
    }
  }

  function isError(value) {
    try {
      return typeof value === 'object' && value !== null && is(E, value);
    } catch {
      return false;
    }
  }

  // hostErrors keeps what the host said, so that a script can't make it up.
  const hostErrors = new WM();

  function hostError(kind, message, data, stack, limitName) {
    const error = new E(message);
    const hidden = (name, value) => defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false, __proto__: null });
    hidden('name', 'CallError');
    if (stack !== '') hidden('stack', stack);
    defineProperty(error, 'kind', { value: kind, writable: true, configurable: true, enumerable: true, __proto__: null });
    if (data !== undefined) defineProperty(error, 'data', { value: data, writable: true, configurable: true, enumerable: true, __proto__: null });
    const said = record();
    said.kind = kind;
    said.limit = limitName;
    said.message = message;
    try {
      said.data = data === undefined ? '' : encode(data, '', 1 << 18);
    } catch {
      said.data = '';
    }
    wmSet(hostErrors, error, said);
    return error;
  }

  function fail(kind, limitName, message, stack, data) {
    if (finished) return;
    finished = true;
    let text = '{"kind":' + quote(kind) + ',"message":' + quote(slice(message, 0, 4000)) + ',"stack":' + quote(slice(stack, 0, 8000));
    if (limitName !== '') text += ',"limit":' + quote(limitName);
    if (data !== '' && data !== undefined) text += ',"data":' + data;
    hostFail(text + ',"notes":[' + notesText + ']}');
  }

  // failWith ends the run with what the script threw.
  function failWith(thrown, prefix) {
    if (typeof thrown === 'object' && thrown !== null && wmHas(hostErrors, thrown)) {
      const said = wmGet(hostErrors, thrown);
      return fail(said.kind, said.limit, prefix + said.message, textOf(thrown, 'stack'), said.data);
    }
    if (thrown === null) return fail('runtime', '', prefix + 'the script threw null', '', '');
    if (!isError(thrown)) return fail('runtime', '', prefix + 'the script threw ' + (typeof thrown === 'string' ? quote(slice(thrown, 0, 500)) : brief(thrown)) + ' (not an Error, so there is no line)', '', '');
    const memory = textOf(thrown, 'message') === 'out of memory' && textOf(thrown, 'name') === 'InternalError';
    fail(memory ? 'limit' : 'runtime', memory ? 'memory' : '', prefix + brief(thrown), textOf(thrown, 'stack'), '');
  }

  // ---- calls ---------------------------------------------------------------

  const waiting = record();
  let made = 0, sent = 0, outstanding = 0, config, finished = false, bodyFailed = false, bodyEnded = false, refusal, refused = 0;

  function refuse(message, limitName) {
    refused++;
    // One promise for all: a loop that makes a million calls costs nothing.
    if (refusal === undefined) {
      refusal = promiseReject(hostError('limit', message, undefined, site(), limitName));
    }
    return refusal;
  }

  function site() {
    return textOf(new E(), 'stack');
  }

  function request(name, args) {
    if (bodyFailed) return refuse('the body has failed, so that no more calls are made', '');
    if (made >= config.calls) return refuse('the body made more than its ' + config.calls + ' calls; ask for more with each call, or split the work', 'calls');
    let length = args.length;
    while (length > 0 && args[length - 1] === undefined) length--;
    args.length = length;
    let text;
    promises = undefined;
    try {
      for (let i = 0; i < length; i++) {
        if (typeof args[i] === 'object' && is(P, args[i])) throw new TE('argument ' + (i + 1) + ' of ' + name + ' is a promise: await it first');
        if (typeof args[i] === 'function') throw new TE('argument ' + (i + 1) + ' of ' + name + ' is a function: only JSON values cross');
      }
      text = encode(args, 'arguments of ' + name, config.arguments);
      const bytes = hostBytes(text);
      if (bytes > config.arguments) throw tooLong;
      if (sent + bytes > config.sent) throw hostError('limit', 'the arguments of all calls are larger than ' + config.sent + ' bytes', undefined, site(), 'arguments');
      sent += bytes;
    } catch (e) {
      if (e === tooLong) e = hostError('limit', 'the arguments of ' + name + ' are larger than ' + config.arguments + ' bytes', undefined, site(), 'arguments');
      return promiseReject(e);
    }
    const n = ++made, entry = record();
    entry.stack = site();
    const promise = new P((resolve, reject) => {
      entry.resolve = resolve;
      entry.reject = reject;
    });
    waiting[n] = entry;
    outstanding++;
    hostCall(n, name, text);
    return promise;
  }

  function settle(n, ok, text) {
    const entry = waiting[n];
    if (entry === undefined) return;
    delete waiting[n];
    outstanding--;
    let value;
    try {
      value = parse(text);
    } catch (e) {
      return entry.reject(e);
    }
    if (ok) return entry.resolve(value);
    entry.reject(hostError(value.kind, value.message, value.data, entry.stack, ''));
  }

  function define(object, name, value, enumerable) {
    defineProperty(object, name, { value, writable: true, configurable: true, enumerable, __proto__: null });
  }

  function install(names) {
    for (let i = 0; i < names.length; i++) {
      const full = names[i];
      let object = globalThis, rest = full;
      for (let dot = indexOf(rest, '.'); dot >= 0; dot = indexOf(rest, '.')) {
        const part = slice(rest, 0, dot);
        rest = slice(rest, dot + 1);
        if (!hasOwn(object, part)) define(object, part, {}, true);
        object = object[part];
      }
      define(object, rest, { [rest](...args) { return request(full, args); } }[rest], true);
    }
  }

  // ---- console -------------------------------------------------------------

  function show(value) {
    if (typeof value === 'string') return value;
    if (value === undefined) return 'undefined';
    if (typeof value === 'number') return '' + value;
    if (isError(value)) return brief(value);
    quiet = true;
    promises = undefined;
    try {
      return encode(value, '', config.logs + 1);
    } catch (e) {
      if (e === tooLong) return out;
      return '[' + brief(e) + ']';
    } finally {
      quiet = false;
    }
  }

  function log(level, args) {
    if (finished) return;
    hasLogged = true;
    let text = '';
    for (let i = 0; i < args.length; i++) {
      text += (i > 0 ? ' ' : '') + show(args[i]);
      if (text.length > config.logs) break;
    }
    hostLog(level, slice(text, 0, config.logs + 1));
  }

  const consoleObject = {};
  const levels = { log: 'log', info: 'log', debug: 'log', warn: 'warn', error: 'error' };
  for (const name of objectKeys(levels)) {
    const level = levels[name];
    define(consoleObject, name, { [name](...args) { log(level, args); } }[name], true);
  }

  // ---- the globals ---------------------------------------------------------

  const allowed = record();
  for (const name of ('Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError ' +
    'SuppressedError Iterator Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape ' +
    'Infinity NaN undefined Number Boolean String Math Reflect Symbol Date RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer DataView ' +
    'Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float16Array Float32Array ' +
    'Float64Array BigInt Promise globalThis Intl').split(' ')) allowed[name] = true;

  for (const name of ownKeys(globalThis)) {
    if (allowed[name] || typeof name === 'symbol') continue;
    if (!delete globalThis[name]) throw new E('the global ' + name + ' can not be taken away');
  }
  define(globalThis, 'console', consoleObject, false);

  // No text becomes code: the constructors of all kinds of functions refuse.
  function closeFunction(sample, name) {
    const proto = getPrototypeOf(sample);
    const refusing = { [name]() { throw new EvalError('code can not be made from text here'); } }[name];
    const blocked = name === 'Function' ? function Function() { throw new EvalError('code can not be made from text here'); } : refusing;
    defineProperty(blocked, 'prototype', { value: proto, writable: false, configurable: false, enumerable: false });
    defineProperty(proto, 'constructor', { value: blocked, writable: false, configurable: false, enumerable: false });
    return blocked;
  }
  define(globalThis, 'Function', closeFunction(function () {}, 'Function'), false);
  closeFunction(async function () {}, 'AsyncFunction');
  closeFunction(function* () {}, 'GeneratorFunction');
  closeFunction(async function* () {}, 'AsyncGeneratorFunction');

  // The clock stands still, and shows what it is told.
  let now = 0;
  const clock = function Date(...args) {
    if (new.target === undefined) return apply(D.prototype.toString, new D(now), []);
    return construct(D, args.length === 0 ? [now] : args, new.target);
  };
  for (const name of ['parse', 'UTC']) define(clock, name, D[name], false);
  define(clock, 'now', { now() { return now; } }.now, false);
  defineProperty(clock, 'length', { value: 7 });
  defineProperty(clock, 'prototype', { value: D.prototype, writable: false });
  define(D.prototype, 'constructor', clock, false);
  define(globalThis, 'Date', clock, false);

  // sfc32: small, fast, and good enough for what a script does with chance.
  let a = 0, b = 0, c = 0, d = 1;
  function word() {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  }
  define(Math, 'random', { random() { return ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992; } }.random, false);

  // ---- the run -------------------------------------------------------------

  function begin(text) {
    config = parse(text);
    now = config.now;
    a = config.seed[0] | 0;
    b = config.seed[1] | 0;
    c = config.seed[2] | 0;
    d = config.seed[3] | 1;
    for (let i = 0; i < 15; i++) word();
    install(config.functions);
  }

  let result, thrown, hasLogged = false;

  // run starts the body. expression says that the code was a single
  // expression; if that is a function, it is called.
  function run(body, expression) {
    follow(() => apply(body, undefined, []), value => ended(value, expression), broke);
  }

  // follow tells how a promise ends. It uses await, and not then, which would
  // ask the script's idea of a promise for another one.
  async function follow(start, ok, bad) {
    let value;
    try {
      value = await start();
    } catch (e) {
      return bad(e);
    }
    ok(value);
  }

  function broke(error) {
    bodyEnded = bodyFailed = true;
    thrown = error;
  }

  function ended(value, expression) {
    if (expression && typeof value === 'function') {
      addNote('the code was a function, so it was called; its body alone is enough');
      return run(async () => value(), false);
    }
    result = value;
    bodyEnded = true;
  }

  // idle is called when no job is queued, and reports whether the run waits
  // for the host. Else it has ended, or there are jobs again.
  function idle() {
    if (finished) return false;
    if (outstanding > 0) return true;
    if (!bodyEnded || awaited > 0) {
      fail('runtime', '', 'the body waits for a promise that nothing can settle: no call is in flight, and there are no timers', '', '');
    } else if (bodyFailed) failWith(thrown, '');
    else finish();
    return false;
  }

  function finish() {
    const unhandled = hostPending();
    if (unhandled !== undefined) return failWith(unhandled.reason, 'a promise that was not awaited was rejected: ');
    const kept = notesText, keptCount = noteCount;
    promises = list();
    let text = 'null';
    try {
      if (result !== undefined) text = encode(result, 'value', config.result);
      if (hostBytes(text) > config.result) throw tooLong;
    } catch (e) {
      if (e === tooLong) return fail('limit', 'result', 'too large', '', '');
      return failWith(e, 'the result could not be made JSON: ');
    }
    if (promises.length > 0) {
      notesText = kept;
      noteCount = keptCount;
      return awaitAll(promises);
    }
    if (typeof result === 'function') addNote('value: the body returned a function; call it, and return what it gives');
    if (result === undefined && !hasLogged) addNote('the body returned nothing: end it with return');
    if (refused > 0) addNote(refused + (refused === 1 ? ' call was refused' : ' calls were refused') + ': at most ' + config.calls);
    if (noteCount > maxNotes) notesText += ',' + quote('and ' + (noteCount - maxNotes) + ' more');
    finished = true;
    hostDone(text, '[' + notesText + ']');
  }

  // awaitAll waits for promises that were found in the result.
  let awaited = 0;
  function awaitAll(some) {
    awaited = some.length;
    for (let i = 0; i < some.length; i++) {
      const promise = some[i];
      follow(() => promise, value => {
        wmSet(settled, promise, { value, __proto__: null });
        awaited--;
      }, error => {
        awaited--;
        broke(error);
      });
    }
  }

  return freeze({ begin, run, settle, idle });
})
