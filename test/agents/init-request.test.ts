import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInitRequest } from '../../src/agents/init-request.js';

const good: [comment: string, body: string, fields: object][] = [
  ['nothing', '', {}],
  ['an empty object', '{}', {}],
  ['null, which Go takes for an empty struct', 'null', {}],
  ['a token', '{"accessToken":"t"}', { accessToken: 't' }],
  ['null fields', '{"accessToken":null,"envVars":null}', { accessToken: null, envVars: null }],
  ['variables', '{"envVars":{"A":"b"}}', { envVars: { A: 'b' } }],
  ['unknown fields are dropped', '{"other":[1]}', {}],
  [
    'a timestamp',
    '{"timestamp":"2026-01-02T03:04:05.678Z"}',
    { timestamp: '2026-01-02T03:04:05.678Z' },
  ],
  [
    'nanoseconds and an offset',
    '{"timestamp":"2026-01-02T03:04:05.123456789+02:00"}',
    { timestamp: '2026-01-02T03:04:05.123456789+02:00' },
  ],
];
for (const [comment, body, fields] of good) {
  test(`/init takes ${comment}`, () => assert.deepEqual(parseInitRequest(body), fields));
}

const bad: [comment: string, body: string][] = [
  ['no JSON', '{'],
  ['a word', 'hello'],
  ['an array', '[]'],
  ['a number', '5'],
  ['a string', '"x"'],
  ['a token that is a number', '{"accessToken":5}'],
  ['a variable that is a number', '{"envVars":{"A":1}}'],
  ['variables as a list', '{"envVars":["A"]}'],
  ['a timestamp of another form', '{"timestamp":"yesterday"}'],
  ['a day that does not exist', '{"timestamp":"2026-02-30T00:00:00Z"}'],
  ['two documents', '{}{}'],
];
for (const [comment, body] of bad) {
  test(`/init refuses ${comment}`, () => assert.equal(parseInitRequest(body), undefined));
}

test('no body throws', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => void parseInitRequest(body)));
});
