import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuQuota } from '../../src/experiment/machine.js';

const table: [comment: string, files: Record<string, string>, quota: number | null][] = [
  ['no cgroup', {}, null],
  [
    'v2, half a processor',
    { '/proc/self/cgroup': '0::/a/b\n', '/sys/fs/cgroup/a/b/cpu.max': '50000 100000\n' },
    0.5,
  ],
  [
    'v2, the limit of a folder above',
    {
      '/proc/self/cgroup': '0::/a/b\n',
      '/sys/fs/cgroup/a/b/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/a/cpu.max': '150000 100000\n',
    },
    1.5,
  ],
  [
    'v2, the tightest of several',
    {
      '/proc/self/cgroup': '0::/a/b\n',
      '/sys/fs/cgroup/a/b/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/a/cpu.max': '50000 100000\n',
    },
    0.5,
  ],
  [
    'v2, as a container sees it',
    { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '200000 100000\n' },
    2,
  ],
  [
    'v2, unlimited',
    { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' },
    null,
  ],
  [
    'v1',
    {
      '/proc/self/cgroup': '3:cpu,cpuacct:/x\n0::/\n',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '25000\n',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_period_us': '100000\n',
    },
    0.25,
  ],
  [
    'v1, unlimited',
    {
      '/proc/self/cgroup': '3:cpu:/x\n',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/x/cpu.cfs_period_us': '100000\n',
    },
    null,
  ],
];
for (const [comment, files, expected] of table) {
  test(`processors that the cgroup allows: ${comment}`, () => {
    assert.equal(
      cpuQuota((path) => files[path]),
      expected,
    );
  });
}
