import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PROTECTIONS } from './list/index.js';

/** That each is seen by its test takes long: `npm run protections` looks. */
test('every protection is where the list says, once, and so is its test', () => {
  for (const { name, file, from, to, test: by, only } of PROTECTIONS) {
    const pieces = readFileSync(file, 'utf8').split(from).length - 1;
    assert.equal(pieces, 1, `${name}: ${file} has it ${pieces} times`);
    assert.notEqual(from, to, name);
    assert.ok(existsSync(`test/${by}.test.ts`), `${name}: no test/${by}.test.ts`);
    if (only !== undefined) assert.doesNotThrow(() => new RegExp(only), name);
  }
  const names = PROTECTIONS.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});
