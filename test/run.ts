import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs all test files, or those whose path contains one of the arguments, one file at a time: the
 * end-to-end tests need both cores of a small machine to themselves.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
  .map((file) => relative(process.cwd(), join(folder, file)));

if (files.length === 0) {
  process.stderr.write('no test file matches\n');
  process.exit(1);
}
const runner = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
});
runner.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
