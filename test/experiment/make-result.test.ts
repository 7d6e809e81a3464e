import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeResult } from '../../src/experiment/make-result.js';
import { parseScenarios } from '../../src/experiment/scenario.js';
import { type Result, resultSchema } from '../../src/results/schema.js';
import { newId } from '../../src/results/store.js';
import { SeriesRecorder } from '../../src/results/thin.js';
import { storm } from '../fixtures/results.js';

const [scenario] = parseScenarios({
  interval: ['100ms'],
  outage: '60s',
  fault: 'refused',
  retry: 'fixed',
  retryPause: '5ms',
  retryBudget: '10s',
  poller: 'issue',
  auth: 'stored',
  bootPoller: false,
  agent: ['unguarded', 'guarded'],
  mmdsClose: 'auto',
  mmdsVersion: 'V2',
  guestMemory: '1GiB',
  guestCpus: 'host',
  headroom: false,
  sequential: false,
  repeat: '1',
  pollFunction: 'PollForMMDSOpts',
  stackDump: 'on',
});

type Source = 'kernel' | 'agent' | null;

/** The notes of a run whose lanes had their attempts from there, on a machine that slept for so long. */
function notesOf({
  source = 'kernel' as Source,
  sleptMs = 0,
  sampleGapMaxMs = 105,
}): Result['notes'] {
  assert.ok(scenario);
  const loop = { utilizationPeak: 0.2, delayMaxMs: 1 };
  const load = {
    sampleGapMaxMs,
    agentCpusPeak: 0.5,
    processorsBusyPeak: 0.5,
    driverLoop: loop,
    agentLoop: loop,
    mmdsLoop: loop,
  };
  const samples = new SeriesRecorder();
  const measured = new Map(
    scenario.agents.map((agent, i) => {
      const lane = storm().lanes[i];
      assert.ok(lane);
      const { predicted: _predicted, overload: _overload, ...outcome } = lane;
      const connections = { ...outcome.connections, source };
      return [
        agent,
        {
          end: {
            outcome: { ...outcome, connections, load },
            isWhole: true,
            message: undefined,
            notes: [],
          },
          samples,
        },
      ] as const;
    }),
  );
  const isolation = { kind: 'netns', reason: null } as const;
  const startedAt = new Date('2026-01-01T00:00:00Z');
  const frame = { id: newId(startedAt), startedAt, scenario, isolation };
  const result = makeResult(frame, measured, { sleptMs, wasInterrupted: false });
  return resultSchema.parse(result).notes;
}

test('a run that went well has nothing to note', () => assert.deepEqual(notesOf({}), []));

test('attempts that are not the kernel’s count are said to be none, lane by lane', () => {
  for (const [source, says] of [
    ['agent', /agent's own count/],
    [null, /not known/],
  ] as const) {
    const notes = notesOf({ source });
    assert.deepEqual(
      notes.map(({ lane }) => lane),
      ['unguarded', 'guarded'],
    );
    for (const { text } of notes) assert.match(text, says);
  }
});

test('a machine that slept in mid-run is told of; a clock that is slewed is not', () => {
  assert.match(notesOf({ sleptMs: 90_200 })[0]?.text ?? '', /suspended for 1m30s/);
  for (const sleptMs of [20, -20, 400]) assert.deepEqual(notesOf({ sleptMs }), []);
});

test('an overloaded lane has a note of its own', () => {
  const notes = notesOf({ sampleGapMaxMs: 1_300 });
  assert.equal(notes.length, 2);
  assert.match(notes[0]?.text ?? '', /up to 1300 ms apart/);
});
