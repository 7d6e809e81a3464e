import { Args, Flags } from '@oclif/core';
import { EXIT, UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import { COMPARISON_FORMATS } from '../report/comparison/index.js';
import { terminalOf } from '../report/terminal.js';
import { compareResults, isAnythingCompared } from '../results/compare/compare.js';
import { parseLimits } from '../results/compare/limits.js';
import { loadSide } from '../results/compare/load.js';
import { BaseCommand } from './base-command.js';

export default class Compare extends BaseCommand {
  static override summary = 'Base against head: what changed, and how sure that is';
  static override description =
    `Each side is a result file, a folder of them, or a comma list: the repeats of one scenario are the samples. A difference counts as shown when a Mann-Whitney U test says so; everything else is "no change". On different machines only counts and ratios within one run are judged, never absolute speeds.

A lane that had trouble, or whose run was interrupted, decides nothing: its figures are shown without a verdict. In latencies a request that got no answer counts as longer than any answer. With one run a side nothing is known of the noise, and --max-regression decides by the ratio alone: give it --repeat runs, or a limit wide enough for your noise.

Exit codes: 0 done; 1 a limit of --max-regression is exceeded, or a lane had trouble or was interrupted; 2 bad input, different scenarios, nothing that could be compared, or a limit that cannot be judged on different machines.`;
  static override examples = [
    '<%= config.bin %> compare bench-results/base bench-results/head',
    '<%= config.bin %> compare base.json head.json --max-regression init.latencyMs.p99=10%',
    '<%= config.bin %> compare bench-results --base-lane base --head-lane head --format markdown',
  ];
  static override args = {
    base: Args.string({ required: true, description: 'a result file, a folder, or a comma list' }),
    head: Args.string({
      description: 'the same; may be left out where two lanes of BASE are compared',
    }),
  };
  static override flags = {
    'base-lane': Flags.string({
      summary: 'compare this lane of the base with --head-lane [default: lanes of one name]',
      dependsOn: ['head-lane'],
    }),
    'head-lane': Flags.string({
      summary: 'compare this lane of the head with --base-lane',
      dependsOn: ['base-lane'],
    }),
    'max-regression': Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'init.latencyMs.p99=10%',
      summary:
        'how much worse a metric may get: METRIC=N%, or LANE.METRIC=N% for one lane; repeat it for more',
    }),
    alpha: Flags.string({ default: '0.05', summary: 'p below which a difference counts as shown' }),
    force: Flags.boolean({ summary: 'compare even different scenarios and partial results' }),
    format: Flags.string({
      default: 'table',
      summary: [...COMPARISON_FORMATS]
        .map(([name, { summary }]) => `${name}: ${summary}`)
        .join('; '),
    }),
    json: Flags.boolean({ summary: 'the same as --format json' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Compare);
    const format = lookUp('format', flags.json ? 'json' : flags.format, COMPARISON_FORMATS);
    const limits = parseLimits(flags['max-regression'] ?? []);
    const alpha = parseAlpha(flags.alpha);
    const [baseLane, headLane] = [flags['base-lane'], flags['head-lane']];
    const lanes = baseLane && headLane ? { base: baseLane, head: headLane } : undefined;
    if (args.head === undefined && lanes === undefined) {
      throw new UsageError(
        'HEAD is missing',
        'Give compare BASE HEAD, or --base-lane and --head-lane for two lanes of BASE',
      );
    }
    const base = await loadSide(args.base, 'BASE');
    const head = args.head === undefined ? base : await loadSide(args.head, 'HEAD');
    const comparison = compareResults(base.results, head.results, {
      alpha,
      force: flags.force,
      lanes,
      limits,
      warnings: [...new Set([...base.warnings, ...head.warnings])],
    });
    const isTTY = process.stdout.isTTY === true;
    const view = terminalOf(process.stdout, { isTTY, env: process.env });
    await this.print(format.render(comparison, view));
    const has = (verdict: string) => comparison.limits.some((limit) => limit.verdict === verdict);
    if (has('fail')) {
      process.exitCode = EXIT.failed;
    } else if (!isAnythingCompared(comparison)) {
      throw new UsageError(
        'nothing could be compared: every lane had trouble, was interrupted, or has no data',
        'Measure again, and see envd-bench report for what went wrong',
      );
    } else if (comparison.rows.some(({ verdict }) => verdict === 'void')) {
      process.exitCode = EXIT.failed;
    } else if (has('not-judged')) {
      throw new UsageError(
        'a limit cannot be judged: the machines differ',
        'Measure base and head on one machine, or limit a count',
      );
    }
  }
}

function parseAlpha(text: string): number {
  const alpha = /^0?\.\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (alpha >= 0.000001 && alpha <= 0.5) return alpha;
  throw new UsageError(`--alpha ${quoted(text)} is not from 0.000001 to 0.5`);
}
