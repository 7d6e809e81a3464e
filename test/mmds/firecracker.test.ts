import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { ask, METADATA, serve, token } from './helpers.js';

// Firecracker's answers (DESIGN 3.3), as an ordinary HTTP client sees them.

const JSON_TYPE = { Accept: 'application/json' };
const TTL = 'X-metadata-token-ttl-seconds';

test('V2: a token is a PUT with a lifetime of 1 to 21600 seconds', async (t) => {
  const mmds = await serve(t);
  const rows: [ttl: string, status: number][] = [
    ['1', 200],
    ['21600', 200],
    ['+60', 200], // Rust reads a plus sign
    ['0', 400],
    ['21601', 400],
    ['4294967296', 400], // more than 32 bits
    ['-1', 400],
    ['1.5', 400],
    ['abc', 400],
  ];
  for (const [ttl, status] of rows) {
    for (const name of [TTL, 'x-aws-ec2-metadata-token-ttl-seconds', TTL.toUpperCase()]) {
      const answer = await ask(mmds, 'PUT', '/latest/api/token', { [name]: ttl });
      assert.equal(answer.status, status, `${name}: ${ttl}`);
      assert.equal(answer.headers['content-type'], 'text/plain');
      assert.equal(answer.headers.server, 'Firecracker API');
      assert.equal(answer.headers.connection, 'keep-alive');
      if (status === 200) {
        assert.match(answer.body, /^[\w+/]{48}$/);
        assert.equal(answer.headers[name.toLowerCase()], `${Number(ttl)}`);
      } else assert.match(answer.body, /Invalid/);
    }
  }
  const without = await ask(mmds, 'PUT', '/latest/api/token');
  assert.equal(without.status, 400);
  assert.match(without.body, /time to live value not found/);
});

test('V2: X-Forwarded-For on a PUT is 400, on a GET of no consequence', async (t) => {
  const mmds = await serve(t);
  const put = await ask(mmds, 'PUT', '/latest/api/token', { [TTL]: '60', 'X-Forwarded-For': 'a' });
  assert.equal(put.status, 400);
  assert.match(put.body, /Unsupported header name\. Key: X-Forwarded-For$/);
  const get = await ask(mmds, 'GET', '/', {
    'X-metadata-token': await token(mmds),
    'X-Forwarded-For': 'a',
  });
  assert.equal(get.status, 200);
});

test('V2: a PUT elsewhere is 404; methods other than GET and PUT are 405 or 501', async (t) => {
  const mmds = await serve(t);
  const put = await ask(mmds, 'PUT', '/latest//meta', { [TTL]: '60' });
  assert.deepEqual([put.status, put.body], [404, 'Resource not found: /latest//meta.']);
  for (const method of ['PATCH', 'DELETE'] as const) {
    const answer = await ask(mmds, method, '/');
    assert.deepEqual([answer.status, answer.body], [405, 'Not allowed HTTP method.']);
    assert.equal(answer.headers.allow, 'GET, PUT');
  }
  // Its parser knows no other method, and does not get as far as 405.
  const post = await ask(mmds, 'POST', '/');
  assert.deepEqual([post.status, post.body], [501, 'Unsupported HTTP method.']);
  assert.equal(post.headers['content-type'], 'application/json');
});

test('V2: a GET without a token, or with a wrong or expired one, is 401', async (t) => {
  let now = 1000;
  const mmds = await serve(t, 'none', {}, { now: () => now });
  const without = await ask(mmds, 'GET', '/');
  assert.equal(without.status, 401);
  assert.match(without.body, /No MMDS token provided/);
  const other = await serve(t);
  for (const wrong of ['', 'abc', 'A'.repeat(48), 'A'.repeat(71), await token(other)]) {
    const answer = await ask(mmds, 'GET', '/', { 'X-metadata-token': wrong });
    assert.deepEqual([answer.status, answer.body], [401, 'MMDS token not valid.'], wrong);
  }
  const mine = await token(mmds, 2);
  for (const name of ['X-metadata-token', 'X-aws-ec2-metadata-token']) {
    assert.equal((await ask(mmds, 'GET', '/', { [name]: mine })).status, 200);
  }
  now += 1999;
  assert.equal((await ask(mmds, 'GET', '/', { 'X-metadata-token': mine })).status, 200);
  now += 1;
  assert.equal((await ask(mmds, 'GET', '/', { 'X-metadata-token': mine })).status, 401);
});

test('V1: a GET needs no token, and a token can be had', async (t) => {
  const mmds = await serve(t, 'none', { version: 'V1' });
  const answer = await ask(mmds, 'GET', '/', JSON_TYPE);
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.body), METADATA);
  const wrong = await ask(mmds, 'GET', '/instanceID', { ...JSON_TYPE, 'X-metadata-token': 'x' });
  assert.equal(wrong.body, '"i-1"');
  assert.match(await token(mmds), /^[\w+/]{48}$/);
});

test('paths and formats: JSON on demand, else the text of IMDS', async (t) => {
  const mmds = await serve(t, 'none', { version: 'V1' });
  const rows: [path: string, accept: string | undefined, status: number, body: string | RegExp][] =
    [
      // keys sorted, compact, as Firecracker's map is
      [
        '/network',
        'application/json',
        200,
        '{"address":"10.0.0.1","deep":{"name":"äöü"},"ports":[80,443]}',
      ],
      ['//network///deep/', 'application/json', 200, '{"name":"äöü"}'],
      ['/network/ports/1', 'application/json', 200, '443'],
      ['/network/ports/01', 'application/json', 404, 'Resource not found: /network/ports/01.'],
      ['/a~1b', 'application/json', 200, '"slash"'],
      ['/none//such', 'application/json', 404, 'Resource not found: /none//such.'],
      ['/?x=1', 'application/json', 404, /not found/], // a query is part of the path
      ['/__proto__', 'application/json', 404, /not found/],
      ['/', undefined, 200, 'a/b\ncount\nenvID\ninstanceID\nnetwork/'],
      ['/', 'text/plain', 200, 'a/b\ncount\nenvID\ninstanceID\nnetwork/'],
      ['/', '*/*', 200, 'a/b\ncount\nenvID\ninstanceID\nnetwork/'],
      ['/instanceID', undefined, 200, 'i-1'],
      ['/network/deep/name', 'text/plain', 200, 'äöü'],
      ['/count', 'text/plain', 501, /unsupported type/],
      ['/network/ports', 'text/plain', 501, /unsupported type/],
      ['/missing', 'text/plain', 404, /not found/],
    ];
  for (const [path, accept, status, body] of rows) {
    const answer = await ask(mmds, 'GET', path, accept === undefined ? {} : { Accept: accept });
    assert.equal(answer.status, status, path);
    if (typeof body === 'string') assert.equal(answer.body, body, path);
    else assert.match(answer.body, body, path);
    const type =
      status === 200 && accept === 'application/json' ? 'application/json' : 'text/plain';
    assert.equal(answer.headers['content-type'], type, path);
  }
});

test('the empty store answers GET / with JSON 200 null, until data is put', async (t) => {
  const mmds = await serve(t, 'none', { metadata: null });
  const headers = { ...JSON_TYPE, 'X-metadata-token': await token(mmds) };
  const empty = await ask(mmds, 'GET', '/', headers);
  assert.deepEqual([empty.status, empty.body], [200, 'null']);
  assert.equal((await ask(mmds, 'GET', '/instanceID', headers)).status, 404);
  mmds.setMetadata({ b: 1, 10: 2, 9: 3 });
  assert.equal((await ask(mmds, 'GET', '/', headers)).body, '{"10":2,"9":3,"b":1}');
  assert.throws(() => mmds.setMetadata('x'.repeat(51_199)), /holds 51200/);
  assert.throws(() => mmds.setMetadata(undefined), /not JSON/);
  await mmds.setFault(parseFault('null', '--fault'));
  assert.equal((await ask(mmds, 'GET', '/', headers)).body, 'null');
});
