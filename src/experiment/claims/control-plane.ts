import type { CountedRequests, Requests } from '../../results/schema.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show } from './figures.js';
import { pileUpObstacle } from './premise.js';

export const controlPlane: ClaimRule = {
  id: 'control-plane',
  text: 'the control plane can fail',
  judge(evidence) {
    const { pileUp } = evidence;
    const streams = pileUp ? counted({ '/init': pileUp.init, '/health': pileUp.health }) : {};
    const lost = Object.values(streams).reduce((sum, stream) => sum + lostOf(stream), 0);
    const sent = Object.values(streams).reduce((sum, stream) => sum + stream.sent, 0);
    const ground = { lane: pileUp, predicted: null, measured: sent > 0 ? lost : null };
    const obstacle = pileUpObstacle(evidence);
    if (obstacle) return notApplicable(ground, obstacle);
    if (sent === 0) return notApplicable(ground, 'neither /init nor /health was asked');
    const told = Object.entries(streams).map(([path, stream]) => tell(path, stream));
    const reason = told.join('; ');
    return lost > 0 ? reproduced(ground, reason) : refuted(ground, reason);
  },
};

/** Those whose requests were counted. */
function counted(streams: Record<string, Requests>): Record<string, CountedRequests> {
  return Object.fromEntries(
    Object.entries(streams).flatMap(([path, { sent, answered, timedOut, failed, ...rest }]) =>
      sent === null || answered === null || timedOut === null || failed === null
        ? []
        : [[path, { sent, answered, timedOut, failed, ...rest }]],
    ),
  );
}

/** Requests that got no answer, or none that is of use: the driver's are all in order. */
function lostOf(stream: CountedRequests): number {
  return stream.timedOut + stream.failed + refusedOf(stream);
}

function refusedOf({ statuses }: Requests): number {
  return Object.entries(statuses)
    .filter(([status]) => !status.startsWith('2'))
    .reduce((sum, [, count]) => sum + count, 0);
}

function tell(path: string, stream: CountedRequests): string {
  if (stream.sent === 0) return `${path} was not asked`;
  const { p99 } = stream.latencyMs;
  const latency = p99 === null ? '' : `, p99 ${show(p99)} ms`;
  const { sent, answered, timedOut, failed } = stream;
  if (lostOf(stream) === 0) return `all ${show(answered)} ${path} answered${latency}`;
  const errors = refusedOf(stream);
  return (
    `of ${show(sent)} ${path} ${show(timedOut)} timed out and ${show(failed)} failed` +
    `${errors > 0 ? `, ${show(errors)} were refused with a status other than 2xx` : ''}${latency}`
  );
}
