import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();

/** What was typed, and what the one line on stderr must name. */
const cases: [string[], RegExp][] = [
  [['run', '--interval', '0'], /--interval must be more than 0.*100ms/],
  [['run', '--interval', '0s'], /--interval must be more than 0/],
  [['run', '--interval=-5ms'], /--interval must be more than 0/],
  [['run', '--interval', 'abc'], /--interval "abc" is not a duration.*100ms/],
  [['run', '--interval', '1e9h'], /--interval "1e9h" is not a duration/],
  [['run', '--interval', '90'], /90s or 90ms\?/],
  [['run', '--interval', ''], /--interval is empty/],
  [['run', '--outage', '10 parsecs'], /--outage "10 parsecs" is not a duration/],
  [['run', '--outage', '9999h'], /longer than 24 days/],
  [['run', '--interval', '1us', '--outage', '1h'], /more than 10000000 \/init/],
  [['run', '--agent', 'gaurded'], /unknown agent "gaurded".*Did you mean guarded\?/],
  [['run', '--agent', 'guarded', '--agent', 'guarded'], /two agents are called guarded/],
  [['run', '--fault', 'refusd'], /unknown fault "refusd".*Did you mean refused\?/],
  [['run', '--fault', 'refused@5s,none@2s'], /--fault/],
  [['run', '--retry', 'fixd'], /Did you mean fixed\?/],
  [['run', '--poller', 'go'], /unknown poller "go"/],
  [['run', '--guest-memory', '5'], /5MiB or 5GiB\?/],
  [['run', '--guest-cpus', '0'], /--guest-cpus "0" is not a number/],
  [['run', '--port-range', '\u001b[31m1-2'], /--port-range ".*1-2" is not LO-HI/],
  [['run', '--port-range', '9'.repeat(5_000)], /--port-range "9{1,300}/],
  [['run', '--poll-function', '\u001b]0;x\u0007'], /--poll-function ".*" is not the name/],
  [['run', '--port-range', '80-90'], /outside 1024-65535/],
  [['run', '--port-range', '6000-5000'], /wrong way round/],
  [['run', '--repeat', '0'], /--repeat "0"/],
  [['run', '--out', '/proc/x'], /cannot write results to/],
  [['run', '--no-such-flag'], /no-such-flag/],
  [['run', 'surplus'], /surplus/],
  [['report', 'no-such-file.json'], /no-such-file\.json/],
  [['report', 'foreign.json'], /envd-bench\/result\/v9/],
  [['report', 'cut.json'], /cut\.json/],
  [['report', 'list.json'], /list\.json/],
  [['report', '--out', 'empty-folder'], /no result/],
  [['report', '--format', 'tabel'], /Did you mean table\?/],
  [['rum'], /rum/],
];

writeFileSync(join(out, 'foreign.json'), JSON.stringify({ schema: 'envd-bench/result/v9' }));
writeFileSync(join(out, 'cut.json'), '{"schema":"envd-bench/result/v1","id":');
writeFileSync(join(out, 'list.json'), '[1, 2]');

for (const [args, expected] of cases) {
  test(`envd-bench ${args.join(' ')}`, { timeout: 60_000 }, async () => {
    const before = readdirSync(out);
    const { code, stdout, stderr } = await run([bin, ...args], { cwd: out });
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
    assert.equal(stderr.trimEnd().split('\n').length, 1, `more than one line: ${stderr}`);
    assert.doesNotMatch(stderr, /\n\s+at /);
    assert.doesNotMatch(stderr.trimEnd(), /\p{Cc}/u);
    assert.ok(stderr.length < 2_000, `${stderr.length} characters`);
    assert.equal(stdout, '');
    const made = readdirSync(out).filter((name) => !before.includes(name));
    assert.deepEqual(
      made.filter((name) => name !== 'bench-results'),
      [],
    );
  });
}
