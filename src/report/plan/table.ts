import { cleanText } from '../../base/text.js';
import type { Plan, PlanAgent } from '../../results/plan.js';
import { renderGrid } from '../grid.js';
import { paint, toAscii, type View, wrap } from '../layout.js';
import { PLAN_ROWS, planPhrases, planSentences, solutionSentences } from './figures.js';

/** Plans for a terminal. */
export function renderPlanTable(plans: readonly Plan[], view: View): string {
  const text = plans
    .map((plan) => {
      const sections = [
        wrap(planPhrases(plan).map(clean).join(', '), view.columns, '  '),
        ...(plan.solution
          ? [
              solutionSentences(plan.solution).flatMap((line) =>
                wrap(clean(line), view.columns, '  '),
              ),
            ]
          : []),
        ...plan.agents.map((agent) => agentLines(agent, view)),
      ];
      return sections.map((lines) => `${lines.join('\n')}\n`).join('\n');
    })
    .join('\n');
  return view.unicode ? text : toAscii(text);
}

function agentLines(agent: PlanAgent, view: View): string[] {
  const sizes = [agent.perSandbox, agent.perHost, agent.fleet];
  const head = [clean(agent.agent), 'per sandbox', 'per host', 'fleet'];
  const rows = PLAN_ROWS.map(({ label, cell }) => [label, ...sizes.map(cell)]);
  const table = renderGrid({ head, rows }, view) ?? [
    paint(clean(agent.agent), 'bold', view),
    ...rows.flatMap(([label = '', ...cells]) => [
      label,
      ...cells.flatMap((cell, i) => wrap(`  ${head[i + 1]}: ${cell}`, view.columns, '    ')),
    ]),
  ];
  return [...table, ...planSentences(agent).flatMap((line) => wrap(line, view.columns, '  '))];
}

function clean(text: string): string {
  return cleanText(text, 400);
}
