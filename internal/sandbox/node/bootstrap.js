// What a Node child runs: it makes a realm for the script, closes this one, and
// speaks the sandbox's frames over its standard streams. Only strings, numbers
// and booleans cross between the two realms.
//
// The script's realm is no wall by itself: V8 gives a script errors of this
// realm in some places, such as a refused import(). So this realm holds nothing
// worth reaching: its intrinsics are frozen, its functions lead to no way of
// making code from text, and process is empty. The wall is the operating
// system's fence.
(function (settings) {
  'use strict';

  const fs = require('node:fs'), vm = require('node:vm');
  const { readSync, writeSync } = fs;
  const exit = process.reallyExit.bind(process);
  const { parse, stringify } = JSON;
  const later = setImmediate;
  process.env.TZ = 'UTC';

  // ---- frames --------------------------------------------------------------

  const byteLength = Buffer.byteLength, allocate = Buffer.allocUnsafe, headSize = 5;
  const pauseWord = new Int32Array(new SharedArrayBuffer(4)), wait = Atomics.wait;

  // retry runs an operation on a pipe until the pipe is ready for it.
  function retry(operation) {
    for (;;) {
      try {
        return operation();
      } catch (e) {
        if (e.code !== 'EAGAIN') throw e;
        wait(pauseWord, 0, 0, 1);
      }
    }
  }

  // send writes a frame. Texts that are JSON already are put in as they are.
  function send(kind, text) {
    const size = byteLength(text);
    const frame = allocate(headSize + size);
    frame.writeUInt32BE(size + 1, 0);
    frame.write(kind, 4, 'latin1');
    frame.write(text, headSize, 'utf8');
    for (let at = 0; at < frame.length;) at += retry(() => writeSync(1, frame, at, frame.length - at));
  }

  function fill(buffer) {
    for (let at = 0; at < buffer.length;) {
      const n = retry(() => readSync(0, buffer, at, buffer.length - at, null));
      if (n === 0) exit(0); // the parent is gone, or needs this child no more
      at += n;
    }
    return buffer;
  }

  // receive waits for a frame and gives its kind and its JSON text.
  function receive() {
    const head = fill(allocate(headSize));
    const size = head.readUInt32BE(0) - 1;
    if (size < 0 || size > settings.maxFrame) exit(1);
    return { kind: head.toString('latin1', 4), text: fill(allocate(size)).toString('utf8') };
  }

  // room makes a deep recursion end here, before a frame is half written.
  function room(depth) {
    return depth === 0 ? 0 : 1 + room(depth - 1);
  }

  // ---- the end of a run ----------------------------------------------------

  let logsLeft = 0;

  function end(kind, text) {
    send(kind, text);
    exit(0);
  }

  // place takes the script's own frames out of a stack.
  function place(failure) {
    const frames = [];
    for (const line of String(failure.stack ?? '').split('\n')) {
      // Without numbers it is the head that was put in front of the first line.
      const at = /^\s+at (?:(.*) \()?body\.js(?::(\d+):(\d+))?\)?$/.exec(line);
      if (at === null) continue;
      const [, name = '<anonymous>', row = '1', column = '1'] = at;
      if (!failure.line) [failure.line, failure.column] = [Number(row), Number(column)];
      if (frames.length < settings.maxFrames) frames.push(`${name} (body.js:${row}:${column})`);
    }
    failure.stack = frames.join('\n');
    return failure;
  }

  function outOfMemory(message) {
    return /Array buffer allocation failed|Invalid (array buffer|typed array|string|array) length/.test(message);
  }

  function fail(text) {
    const failure = place(parse(text));
    if (failure.kind === 'runtime' && outOfMemory(failure.message)) [failure.kind, failure.limit] = ['limit', 'memory'];
    if (failure.limit === 'stuck' || failure.limit === 'null') delete failure.limit;
    end('f', stringify(failure));
  }

  function done(value, notes) {
    end('d', `{"value":${value},"notes":${notes}}`);
  }

  // ---- the script's host ---------------------------------------------------

  function call(n, name, args) {
    room(100);
    send('c', `{"n":${n},"function":${stringify(name)},"args":${args}}`);
  }

  function log(level, text) {
    room(100);
    let size = byteLength(text) + 1;
    const over = size > logsLeft;
    if (over) {
      text = Buffer.from(text).subarray(0, Math.max(logsLeft - 1, 0)).toString('utf8').replace(/\uFFFD$/, '');
      size = byteLength(text) + 1;
    }
    if (!over || text !== '') send('l', stringify({ level, text }));
    logsLeft -= size;
    if (over) end('f', '{"kind":"limit","limit":"logs","message":"too many logs"}');
  }

  const unhandled = new Map();
  function pending() {
    for (const reason of unhandled.values()) return { __proto__: null, reason };
  }

  function bytes(text) {
    return byteLength(text);
  }

  // ---- the two realms ------------------------------------------------------

  const generation = { codeGeneration: { strings: false, wasm: false } };
  const ordinary = vm.constants?.DONT_CONTEXTIFY; // a realm whose global object is an ordinary one
  const context = vm.createContext(ordinary ?? { __proto__: null }, generation);

  // What crosses into the realm is its own, and what that throws is too. It
  // is strict, so that a stack leads to no function.
  const host = new vm.Script(`(function (call, log, done, fail, pending, bytes, ordinary) {
    'use strict';
    const E = RangeError, { defineProperty, freeze } = Object;
    const guard = f => (a, b, c) => {
      try {
        return f(a, b, c);
      } catch {
        throw new E('Maximum call stack size exceeded');
      }
    };
    // The text of a stack, whatever the error's own properties do; scripts don't get at the frames.
    function prepareStackTrace(error, sites) {
      let text = 'Error';
      try {
        text = '' + error;
      } catch {}
      for (let i = 0; i < sites.length; i++) text += '\\n    at ' + sites[i];
      return text;
    }
    defineProperty(Error, 'prepareStackTrace', { value: prepareStackTrace });
    // Where the global object isn't ordinary it can't be frozen, and needn't be.
    if (!ordinary) defineProperty(Object, 'freeze', { value: { freeze(object) { return object === globalThis ? object : freeze(object); } }.freeze });
    return { call: guard(call), log: guard(log), done: guard(done), fail: guard(fail), pending: guard(pending), bytes: guard(bytes) };
  })`, { filename: 'wrap.js' }).runInContext(context)(call, log, done, fail, pending, bytes, ordinary !== undefined);
  const api = new vm.Script(settings.prelude, { filename: 'prelude.js' }).runInContext(context)(host);
  const { begin, run, settle, idle } = api;
  const { Script } = vm;
  const runInContext = Function.prototype.call.bind(Script.prototype.runInContext);
  const foreignError = new Script('Error.prototype').runInContext(context);

  // compile makes a function of the code, in the first way that fits.
  function compile(code) {
    const bare = code.replace(/[; \t\r\n]+$/, '');
    let last;
    for (const { source, check, expression } of settings.wrappings) {
      const fit = template => template.split(settings.codeMark).join(code).split(settings.bareMark).join(bare);
      try {
        new Script(fit(check), { filename: 'body.js', lineOffset: -settings.headLines });
        const script = new Script(fit(source), { filename: 'body.js', lineOffset: -settings.headLines });
        return { body: runInContext(script, context), expression };
      } catch (e) {
        last = e;
      }
    }
    // V8 writes the place in front of a syntax error's stack: no code of the script ran yet.
    const at = /^body\.js:(\d+)\n.*\n( *)\^/.exec(last.stack);
    const failure = { kind: 'syntax', message: last.message };
    if (at !== null) [failure.line, failure.column] = [Math.max(Number(at[1]), 1), at[2].length + 1];
    end('f', stringify(failure));
  }

  const answerHead = /^\{"n":(\d+),"value":/;

  // answer settles a call. The value's text is passed on as it is.
  function answer(text) {
    const head = answerHead.exec(text);
    if (head !== null) return settle(Number(head[1]), true, text.slice(head[0].length, -1));
    const message = parse(text);
    settle(message.n, false, stringify(message.error));
  }

  // step is one turn: the jobs of the script have run before it.
  function step() {
    try {
      if (idle()) {
        const frame = receive();
        if (frame.kind !== 'a') exit(1);
        answer(frame.text);
      }
    } catch {
      end('f', '{"kind":"internal","message":"the engine failed"}');
    }
    later(step);
  }

  function start(frame) {
    if (frame.kind !== 'r') exit(1);
    const { code, ...config } = parse(frame.text);
    logsLeft = config.logs;
    begin(stringify(config));
    const { body, expression } = compile(code);
    try {
      run(body, expression);
    } catch {
      end('f', '{"kind":"internal","message":"the engine failed"}');
    }
    later(step);
  }

  // ---- closing this realm --------------------------------------------------

  // Node tells of rejections through process.emit.
  function emit(event, a, b) {
    if (event === 'unhandledRejection') unhandled.set(b, a);
    if (event === 'rejectionHandled') unhandled.delete(a);
    return true;
  }

  function emptyProcess() {
    const { defineProperty, getOwnPropertyNames, getOwnPropertySymbols, setPrototypeOf } = Object;
    setPrototypeOf(process, null);
    for (const name of [...getOwnPropertyNames(process), ...getOwnPropertySymbols(process)]) {
      // What can't be deleted is data: features, exitCode.
      if (!Reflect.deleteProperty(process, name) && typeof process[name] === 'function') throw new Error(`process.${String(name)} can't be taken away`);
    }
    defineProperty(process, 'emit', { value: emit });
    Object.freeze(process);
  }

  // noCode takes away the ways from a function to the makers of functions.
  function noCode() {
    for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
      Object.defineProperty(Object.getPrototypeOf(sample), 'constructor', { value: undefined });
    }
  }

  // freeze freezes an object and all that it leads to.
  function freeze(root, seen) {
    const queue = [root];
    while (queue.length > 0) {
      const object = queue.pop();
      if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) continue;
      seen.add(object);
      queue.push(Object.getPrototypeOf(object));
      for (const key of Reflect.ownKeys(object)) {
        const property = Object.getOwnPropertyDescriptor(object, key);
        queue.push(property.value, property.get, property.set);
      }
      if (!ArrayBuffer.isView(object)) Object.freeze(object);
    }
  }

  function closeRealm() {
    Object.setPrototypeOf(Error.prototype, foreignError); // a script recognizes errors that slip through
    const seen = new Set([globalThis, process, foreignError]);
    const language = Object.getOwnPropertyNames(globalThis).filter(name => /^[A-Z]/.test(name) && settings.language.includes(name));
    const samples = [[][Symbol.iterator](), new Map().entries(), new Set().entries(), ''[Symbol.iterator](), ''.matchAll(/x/g),
      (function* () {})(), (async function* () {})(), async function () {}, function* () {}, async function* () {}, Uint8Array];
    for (const root of [...language.map(name => globalThis[name]), ...samples, fs, vm, require]) freeze(root, seen);
  }

  emptyProcess();
  noCode();
  closeRealm();
  send('R', stringify(settings.ready));
  later(() => start(receive()));
})
