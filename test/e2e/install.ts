import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** An installed copy of the package: what `npm pack` ships, and the dependencies beside it. */
export interface Installed {
  /** A folder of its own, with a space in its name; everybody may read it. */
  folder: string;
  /** The command, called through a symlink as npm's own bin folders have it. */
  bin: string;
  /** A folder for results, which everybody may write to. */
  out: string;
}

/** Installs the package into a fresh folder, which goes away after the tests of the file. */
export function install(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'envd bench test '));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  chmodSync(folder, 0o755);
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { filename: string }[];
  execFileSync('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', folder]);
  copyDependencies(join(folder, 'package', 'node_modules'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync('../package/bin/run.js', join(bin, 'envd-bench'));
  const out = join(folder, 'out');
  mkdirSync(out);
  chmodSync(out, 0o777);
  return { folder, bin: join(bin, 'envd-bench'), out };
}

function copyDependencies(target: string): void {
  const [, ...folders] = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .trim()
    .split('\n');
  for (const folder of folders) {
    cpSync(folder, join(target, folder.slice(folder.indexOf('node_modules/') + 13)), {
      recursive: true,
    });
  }
}
