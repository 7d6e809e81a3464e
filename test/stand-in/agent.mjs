#!/usr/bin/env node
// A small agent for tests, in the shape of envd: starts a poller on every /init. Its first argument
// says in what way it misbehaves.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [manner = 'well', detail = ''] = process.argv.slice(2);

function attempt() {
  const socket = connect({ host: '169.254.169.254', port: 80, autoSelectFamily: false });
  socket.on('error', () => {});
  socket.on('connect', () => socket.end('PUT /latest/api/token HTTP/1.1\r\n\r\n'));
}

function poll() {
  setInterval(attempt, 50);
}

const found = [];

/** Tries one thing that it must not be able to do. */
function tries(name, attemptIt) {
  try {
    attemptIt();
    found.push(`ESCAPED ${name}`);
  } catch {
    found.push(`held ${name}`);
  }
}

if (manner === 'exits-at-once') {
  process.stderr.write('no such configuration\n');
  process.exit(3);
}
if (manner === 'no-http') {
  const { createServer: createTcp } = await import('node:net');
  createTcp((socket) => socket.end('220 smtp ready\r\n')).listen(49983, '0.0.0.0');
}
if (manner === 'forks') {
  // In a session of its own, and deaf to SIGTERM: nothing but the end of its namespace ends it.
  const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); //${detail}`;
  spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore' }).unref();
  process.on('SIGTERM', () => {});
  process.on('SIGQUIT', () => {});
}
if (manner === 'traces') {
  // As a Go server does when a handler panics: a trace is no dump.
  setInterval(() => {
    process.stderr.write('goroutine 7 [running]:\nhost.PollForMMDSOpts(0x1)\n\n');
  }, 50);
}
if (manner === 'chatters') {
  setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 20);
  setInterval(() => process.stderr.write(`${'y'.repeat(1 << 20)}\n`), 20);
}
if (manner === 'escapes') {
  const forbidden = JSON.parse(readFileSync(detail, 'utf8'));
  tries('clock', () => execFileSync('date', ['-s', '@1000000000'], { stdio: 'ignore' }));
  tries('files', () => writeFileSync(forbidden.file, 'changed'));
  tries('remount', () =>
    execFileSync('mount', ['-o', 'remount,bind,rw', '/'], { stdio: 'ignore' }),
  );
  tries('its own /run', () => readFileSync('/run/utmp'));
  tries('processes', () => process.kill(forbidden.pid, 0));
  tries('processes listed', () => readFileSync(`/proc/${forbidden.pid}/cmdline`));
  writeFileSync('/tmp/mine', 'its own /tmp');
  const socket = connect({ host: '127.0.0.1', port: forbidden.port });
  socket.on('connect', () => found.push('ESCAPED network'));
  socket.on('error', () => found.push('held network'));
  setTimeout(() => {
    process.stderr.write(`${found.join(', ')}\n`);
    process.exit(9);
  }, 3_000);
}
if (manner !== 'no-http' && manner !== 'never-ready') {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url === '/health') response.writeHead(manner === 'unhealthy' ? 500 : 204).end();
      else if (manner === 'fails-init') response.writeHead(500).end('<b>no</b>');
      else {
        if (request.url === '/init' && manner !== 'silent') poll();
        response.writeHead(204, { 'X-Envd-Version': 'stand-in' }).end();
        if (manner === 'dies') setTimeout(() => process.exit(7), Number(detail)).unref();
      }
    });
  });
  server.listen(49983, '0.0.0.0');
} else {
  setInterval(() => {}, 1000);
}
