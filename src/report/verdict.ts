import type { LaneResult, Result } from '../results/schema.js';
import { partialPhrase } from './headline.js';
import { plural } from './numbers.js';

/** What a run came to, in the one word that a reader sees first. */
export type Outcome = 'failed' | 'incomplete' | 'passed' | 'measured';

/** What a run came to. The phrases are this project's own words: no text from outside is in them. */
export interface Verdict {
  outcome: Outcome;
  /** Why it is that, most important first. */
  reasons: string[];
  /** How the claims came out; empty where there are none. */
  claims: string;
}

/**
 * Sums a result up: it failed where a check does not hold or an agent did not do its part, and it
 * passed only where somebody asked for a check. A claim that is refuted is a finding, no failure.
 */
export function verdictOf(result: Result): Verdict {
  const { lanes, checks } = result;
  const failed = checks.filter(({ verdict }) => verdict === 'fail').length;
  const troubled = lanes.filter(({ trouble }) => trouble !== null).length;
  const deaf = lanes.filter(({ init }) => init.answered === 0).length;
  const overloaded = lanes.filter(({ overload }) => overload.length > 0).length;
  const idle = lanes.filter(madeNoAttempt).length;
  const refused = lanes.filter(acceptedNone).length;
  const partial = partialPhrase(result);
  const failures = [
    ...(failed > 0 ? [`${failed} of ${plural(checks.length, 'check')} failed`] : []),
    ...(troubled > 0 ? [`${plural(troubled, 'lane')} in trouble`] : []),
    ...(deaf > 0 ? [`${plural(deaf, 'lane')} never answered /init`] : []),
  ];
  const doubts = [
    ...(partial === null ? [] : [partial]),
    ...(refused > 0 ? [`${plural(refused, 'lane')} accepted no /init at all`] : []),
    ...(idle > 0 ? [`${plural(idle, 'lane')} made no attempt to reach MMDS at all`] : []),
  ];
  const checked = [
    checks.length === 0
      ? 'no checks were asked for'
      : `${checks.length - failed} of ${plural(checks.length, 'check')} passed`,
  ];
  const outcome =
    failures.length > 0
      ? 'failed'
      : doubts.length > 0
        ? 'incomplete'
        : checks.length > 0
          ? 'passed'
          : 'measured';
  return {
    outcome,
    reasons: [
      ...failures,
      ...doubts,
      ...(failed > 0 ? [] : checked),
      ...(overloaded > 0 ? [`${plural(overloaded, 'lane')} overloaded: see the notes`] : []),
    ],
    claims: claimsPhrase(result),
  };
}

/**
 * Whether an agent answered, but did not poll: polling may be switched off in it altogether, which
 * looks like a perfect guard and is none.
 */
function madeNoAttempt({ connections, init }: LaneResult): boolean {
  return (init.answered ?? 0) > 0 && connections.total === 0 && !connections.localFailures;
}

/** Whether an agent answered every `/init` with a refusal: no poller was asked for, and none counted. */
function acceptedNone({ init }: LaneResult): boolean {
  return (init.answered ?? 0) > 0 && Object.keys(init.statuses).every((one) => !/^2/.test(one));
}

function claimsPhrase({ claims }: Result): string {
  const names = {
    reproduced: 'reproduced',
    refuted: 'refuted',
    'not-applicable': 'not applicable',
  };
  return Object.entries(names)
    .map(([verdict, name]) => [claims.filter((c) => c.verdict === verdict).length, name] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}
