import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isHeaderValue,
  metadataRequest,
  parseMetadata,
  tokenRequest,
} from '../../src/agents/mmds-requests.js';

const EMPTY = { sandboxId: '', templateId: '', accessTokenHash: '' };

const parsed: [comment: string, body: string, metadata: object | undefined][] = [
  [
    'all fields',
    '{"instanceID":"i","envID":"e","accessTokenHash":"h","address":"x"}',
    { sandboxId: 'i', templateId: 'e', accessTokenHash: 'h' },
  ],
  ['null is an empty identity', 'null', EMPTY],
  ['an empty object too', '{}', EMPTY],
  ['null fields too', '{"instanceID":null}', EMPTY],
  ['blanks around it', ' {"instanceID":"i"}\n', { ...EMPTY, sandboxId: 'i' }],
  ['no JSON', '<html>', undefined],
  ['nothing', '', undefined],
  ['an array', '[]', undefined],
  ['a number', '7', undefined],
  ['a string', '"x"', undefined],
  ['false', 'false', undefined],
  ['a field of another type', '{"instanceID":5}', undefined],
  ['a hash of another type', '{"accessTokenHash":{}}', undefined],
];
for (const [comment, body, metadata] of parsed) {
  test(`metadata: ${comment}`, () => assert.deepEqual(parseMetadata(Buffer.from(body)), metadata));
}

test('no metadata throw', () => {
  const any = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
  fc.assert(fc.property(any, (text) => void parseMetadata(Buffer.from(text))));
});

test('the token request is envd’s', () => {
  const request = tokenRequest({ host: '169.254.169.254', port: 80 });
  assert.match(request, /^PUT \/latest\/api\/token HTTP\/1\.1\r\n/);
  assert.match(request, /\r\nHost: 169\.254\.169\.254\r\n/);
  assert.match(request, /\r\nX-metadata-token-ttl-seconds: 60\r\n/);
  assert.match(request, /\r\nConnection: close\r\n/);
  assert.match(tokenRequest({ host: '127.0.0.1', port: 8080 }), /\r\nHost: 127\.0\.0\.1:8080\r\n/);
});

test('no token breaks out of its header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), (token) => {
      const request = metadataRequest({ host: '127.0.0.1', port: 80 }, token);
      assert.equal(request.split('\r\n').length, 8);
      assert.equal(request.split('\n').length, 8);
      assert.ok(request.length < 5_000);
      assert.equal(Buffer.from(request, 'latin1').toString('latin1'), request);
    }),
  );
});

test('an ordinary token is sent as it is', () => {
  const request = metadataRequest({ host: '127.0.0.1', port: 80 }, 'aB+/=09');
  assert.match(request, /^GET \/ HTTP\/1\.1\r\n/);
  assert.match(request, /\r\nX-metadata-token: aB\+\/=09\r\nAccept: application\/json\r\n/);
});

for (const [token, isValid] of [
  ['', true],
  ['aB+/=09', true],
  ['a\tb c', true],
  ['äöü', true],
  ['a\nb', false],
  ['a\r', false],
  ['\u0000', false],
  ['\u007f', false],
] as const) {
  test(`Go ${isValid ? 'sends' : 'refuses'} the header ${JSON.stringify(token)}`, () => {
    assert.equal(isHeaderValue(token), isValid);
  });
}
