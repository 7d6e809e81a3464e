import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';

/** The parts of a workflow or an action that are looked at. */
interface Step {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  shell?: string;
  with?: Record<string, unknown>;
  env?: Record<string, unknown>;
}
interface Job {
  'runs-on': string;
  'timeout-minutes'?: number;
  if?: string;
  permissions?: Record<string, string>;
  strategy?: { matrix?: Record<string, unknown> };
  steps: Step[];
}
interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}
interface Action {
  inputs: Record<string, { description: string; default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

const WORKFLOWS = '.github/workflows';
const ACTIONS = '.github/actions';

function parsed<T>(file: string): T {
  const document = parseDocument(readFileSync(file, 'utf8'), { uniqueKeys: true });
  assert.deepEqual([document.errors, document.warnings], [[], []], file);
  return document.toJS() as T;
}

const workflows = readdirSync(WORKFLOWS).map(
  (name) => [name, parsed<Workflow>(join(WORKFLOWS, name))] as const,
);
const actions = readdirSync(ACTIONS).map(
  (name) => [name, parsed<Action>(join(ACTIONS, name, 'action.yml'))] as const,
);
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ file, workflow, name, job })),
);
const stepLists = [
  ...jobs.map(({ file, name, job }) => [`${file} ${name}`, job.steps, job, undefined] as const),
  ...actions.map(([name, action]) => [name, action.runs.steps, undefined, action] as const),
];

/** Contexts of expressions that may be used (docs.github.com, "Contexts reference"). */
const CONTEXT = /^(github|runner|inputs|steps|matrix|env|needs|job)\./;
const FUNCTION = /^(cancelled|always|success|failure)\(\)$/;

/** The names in an expression: paths and calls; texts in quotes are dropped. */
function namesIn(expression: string): string[] {
  return expression
    .replace(/'[^']*'/g, ' ')
    .split(/\s+|&&|\|\||[!=]=|!(?=\w)/)
    .filter((word) => word !== '' && !/^(true|false|null|\d+)$/.test(word));
}

function expressionsIn(value: unknown): string[] {
  const text = JSON.stringify(value ?? '');
  return [...text.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, expression = '']) => expression.trim());
}

for (const [where, steps, job, action] of stepLists) {
  test(`${where}: every expression names what there is`, () => {
    const seen = new Set<string>();
    for (const step of steps) {
      const condition = step.if && !step.if.includes('${{') ? [step.if] : [];
      for (const expression of [...expressionsIn(step), ...condition]) {
        for (const name of namesIn(expression)) {
          assert.ok(CONTEXT.test(name) || FUNCTION.test(name), `${name} in ${expression}`);
          const [context, key = ''] = name.split('.');
          if (context === 'inputs') assert.ok(action?.inputs[key], `no input ${key}`);
          if (context === 'steps') assert.ok(seen.has(key), `no step ${key} before`);
          if (context === 'matrix') assert.ok(job?.strategy?.matrix?.[key], `no matrix ${key}`);
        }
      }
      if (step.id !== undefined) seen.add(step.id);
    }
    for (const { value } of Object.values(action?.outputs ?? {})) {
      for (const name of expressionsIn(value)) assert.ok(seen.has(name.split('.')[1] ?? ''), name);
    }
  });

  test(`${where}: no expression reaches a script but by a variable`, () => {
    for (const { run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/);
  });

  test(`${where}: every variable of a script is set or GitHub's own`, () => {
    for (const { run = '', env = {}, id } of steps) {
      const used = [...run.matchAll(/\$\{?([A-Z][A-Z_]*)/g)].map(([, name = '']) => name);
      for (const name of used) {
        assert.ok(name in env || name.startsWith('GITHUB_'), `${name} in ${id ?? run}`);
      }
    }
  });

  test(`${where}: what is used is local or of a fixed major version`, () => {
    for (const { uses } of steps) {
      if (uses !== undefined)
        assert.match(uses, /^(\.\/[\w./-]+|[\w-]+\/[\w-]+@(v\d+|[\da-f]{40}))$/);
    }
  });

  test(`${where}: a local action gets inputs that it has`, () => {
    for (const { uses = '', with: given = {} } of steps) {
      if (!uses.startsWith('./')) continue;
      const [, local] = actions.find(([name]) => uses === `./${ACTIONS}/${name}`) ?? [];
      assert.ok(local, uses);
      for (const name of Object.keys(given))
        assert.ok(local.inputs[name], `${uses} has no ${name}`);
      for (const [name, { required }] of Object.entries(local.inputs)) {
        assert.ok(!required || name in given, `${uses} needs ${name}`);
      }
    }
  });
}

for (const [name, { runs, inputs }] of actions) {
  test(`action ${name}: composite, every script with a shell, every input described`, () => {
    assert.equal(runs.using, 'composite');
    for (const { run, shell } of runs.steps) assert.equal(run !== undefined, shell === 'bash');
    for (const { description, default: value } of Object.values(inputs)) {
      assert.ok(description && typeof value === 'string');
    }
  });
}

for (const { file, workflow, name, job } of jobs) {
  test(`${file} ${name}: no more rights than needed, and bounded in time`, () => {
    assert.deepEqual(workflow.permissions, { contents: 'read' });
    assert.ok((job['timeout-minutes'] ?? 0) > 0);
    // The one event that runs with a write token beside a fork's code.
    assert.ok(!('pull_request_target' in workflow.on));
    const rights = Object.values(job.permissions ?? {});
    if ('pull_request' in workflow.on) {
      assert.ok(!rights.includes('write'));
      assert.doesNotMatch(JSON.stringify(workflow), /secrets\.|github\.token/);
    }
    if (rights.includes('write')) {
      assert.deepEqual(Object.keys(workflow.on), ['workflow_run']);
      // The default branch's code, never that of the pull request.
      for (const { uses = '', with: given = {} } of job.steps) {
        if (uses.startsWith('actions/checkout')) {
          assert.deepEqual(given, { 'persist-credentials': false });
        }
      }
    }
  });
}

test('the comment waits for a workflow that exists', () => {
  const names = workflows.map(([file]) => parsed<{ name: string }>(join(WORKFLOWS, file)).name);
  for (const [, { on }] of workflows) {
    const { workflows: awaited = [] } = (on.workflow_run ?? {}) as { workflows?: string[] };
    for (const name of awaited) assert.ok(names.includes(name), name);
  }
});

for (const [name] of actions) {
  for (const script of readdirSync(join(ACTIONS, name)).filter((file) => file.endsWith('.sh'))) {
    test(`${script} is a script that bash takes`, () => {
      execFileSync('bash', ['-n', join(ACTIONS, name, script)]);
    });
  }
}

test('actionlint finds nothing, where there is one', (context) => {
  try {
    execFileSync('actionlint', ['-version']);
  } catch {
    context.skip('there is no actionlint here');
    return;
  }
  execFileSync('actionlint', { encoding: 'utf8' });
});
