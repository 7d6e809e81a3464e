import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a stand-in program does on `/init` beside answering 204, in JavaScript. */
const ON_INIT = {
  /** Never polls: a perfect guard by its looks. */
  mute: '',
  /** Dies of its first `/init`, and says why. */
  mortal: "process.stderr.write('I cannot go on\\n'); process.exit(7);",
  /** Polls once and takes the answer, but tells nobody who it is. */
  secretive: 'poll();',
};

export type StandIn = keyof typeof ON_INIT;

/** Writes a small agent as an executable script, and gives its path. */
export function standIn(folder: string, name: StandIn): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.cjs`);
  writeFileSync(
    path,
    `#!${process.execPath}
const http = require('node:http');
const mmds = { host: '169.254.169.254', port: 80 };
function ask(method, path, headers, done) {
  const request = http.request({ ...mmds, method, path, headers, agent: false }, (answer) => {
    let body = '';
    answer.on('data', (piece) => { body += piece; }).on('end', () => done(body));
  });
  request.on('error', () => {}).end();
}
function poll() {
  ask('PUT', '/latest/api/token', { 'X-metadata-token-ttl-seconds': '60' }, (token) =>
    ask('GET', '/', { 'X-metadata-token': token, Accept: 'application/json' }, () => {}));
}
http.createServer((request, response) => {
  request.resume();
  if (request.url === '/health') response.writeHead(204).end();
  else if (request.url === '/init') {
    ${ON_INIT[name]}
    response.writeHead(204, { 'X-Envd-Version': '9.9.9' }).end();
  } else response.writeHead(404).end();
}).listen(49983);
`,
  );
  chmodSync(path, 0o755);
  return path;
}
