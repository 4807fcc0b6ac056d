// Tries each way out that Node's permission model has to close, and says which are open.
'use strict';
const fs = require('node:fs'), net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns');
const open = [];

function refused(error) {
  return error?.code === 'ERR_ACCESS_DENIED';
}

function now(name, attempt) {
  try {
    attempt();
    open.push(name);
  } catch (error) {
    if (!refused(error)) open.push(name);
  }
}

function soon(name, attempt) {
  return new Promise(resolve => {
    const end = error => {
      if (!refused(error)) open.push(name);
      resolve();
    };
    try {
      attempt(end);
    } catch (error) {
      end(error);
    }
  });
}

now('reading files', () => fs.readFileSync(process.execPath));
now('listing folders', () => fs.readdirSync('/'));
now('writing files', () => fs.writeFileSync('trial', ''));
now('processes', () => require('node:child_process').spawnSync(process.execPath, ['--version']));
now('workers', () => new (require('node:worker_threads').Worker)('', { eval: true }));

Promise.all([
  soon('TCP', end => net.connect(9, '127.0.0.1').on('error', end).on('connect', end)),
  // Node refuses this one by an error that no listener gets.
  soon('listening', end => process.on('uncaughtException', end) && net.createServer().on('error', end).listen(0, '127.0.0.1', end)),
  soon('Unix sockets', end => net.connect(process.platform === 'win32' ? '\\\\.\\pipe\\trial' : '/trial').on('error', end).on('connect', end)),
  soon('UDP', end => dgram.createSocket('udp4').on('error', end).send('x', 9, '127.0.0.1', end)),
  soon('DNS', end => dns.lookup('localhost.invalid', end)),
]).then(() => {
  process.stdout.write(open.length === 0 ? 'closed' : open.join(', '));
  process.exit(0);
});
