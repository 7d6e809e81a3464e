import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { Args, Flags } from '@oclif/core';
import { EXIT, messageOf, UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { cleanText, quoted } from '../base/text.js';
import { createClient } from '../github/client.js';
import { GithubError } from '../github/errors.js';
import { putComment, stickyBody } from '../github/sticky.js';
import { keepInSummary } from '../github/summary.js';
import { parsePullRequest, targetOf } from '../github/target.js';
import { REPORT_FORMATS } from '../report/index.js';
import type { Result } from '../results/schema.js';
import { loadResult } from '../results/store.js';
import { BaseCommand } from './base-command.js';

const SECOND_MS = 1_000;

export default class Comment extends BaseCommand {
  static override summary =
    'Puts the report on a pull request, as one comment that is kept up to date';
  static override description =
    `Reads GITHUB_TOKEN, GITHUB_REPOSITORY and GITHUB_API_URL, as GitHub Actions sets them, and honours HTTPS_PROXY and NO_PROXY. The comment is found again by a hidden marker and its author. Whatever goes wrong, the text is not lost: it goes to the job summary ($GITHUB_STEP_SUMMARY), else to stdout.

Exit codes: 0 done, also when the token may not comment (a pull request from a fork) and the text went to the job summary instead; 2 bad input, no such pull request, or GitHub did not do it.`;
  static override examples = [
    '<%= config.bin %> comment --pr 123 bench-results/*.json',
    '<%= config.bin %> compare base head --format markdown | <%= config.bin %> comment --pr 123 --body-file -',
    '<%= config.bin %> comment --pr 123 --dry-run bench-results/reference-refused-100ms.json',
  ];
  static override args = {
    file: Args.string({ multiple: true, description: 'the results to report' }),
  };
  static override flags = {
    pr: Flags.string({
      required: true,
      helpValue: '123',
      summary: 'the number of the pull request',
    }),
    'body-file': Flags.string({
      helpValue: 'FILE',
      summary: 'a markdown file to post instead of results; - is stdin',
    }),
    key: Flags.string({
      default: 'report',
      summary: 'tells several comments on one pull request apart',
    }),
    'dry-run': Flags.boolean({ summary: 'print the comment, and send nothing' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Comment);
    parsePullRequest(flags.pr);
    const body = stickyBody(flags.key, await this.body(args.file ?? [], flags['body-file']));
    if (flags['dry-run']) {
      await this.print(body.endsWith('\n') ? body : `${body}\n`);
      return;
    }
    const target = targetOf(flags.pr, process.env);
    try {
      const userAgent = `envd-bench/${this.config.version}`;
      const client = await createClient(target, { secondMs: SECOND_MS, userAgent });
      const { done, url } = await putComment(client, flags.key, body, SECOND_MS);
      await this.print(`comment ${done}: ${cleanText(url)}\n`);
    } catch (thrown) {
      if (!(thrown instanceof GithubError)) throw thrown;
      const place = await keepInSummary(body, process.env, (text) => this.print(text));
      if (thrown.trouble !== 'read-only') {
        throw new UsageError(`${thrown.message}; the comment is in ${place}`);
      }
      process.exitCode = EXIT.ok;
      process.stderr.write(
        `envd-bench: ${thrown.message}; the comment is in ${place}. On pull requests from forks let a second workflow (on: workflow_run) post it: docs/github.md\n`,
      );
    }
  }

  private async body(files: readonly string[], bodyFile: string | undefined): Promise<string> {
    if (files.length > 0 === (bodyFile !== undefined)) {
      throw new UsageError('a comment needs results or --body-file, and not both');
    }
    if (bodyFile === '-') return readStream(process.stdin);
    if (bodyFile !== undefined) {
      try {
        return await readFile(bodyFile, 'utf8');
      } catch (thrown) {
        throw new UsageError(`cannot read ${quoted(bodyFile)}: ${cleanText(messageOf(thrown))}`);
      }
    }
    const results: Result[] = [];
    for (const file of files) results.push(await loadResult(file));
    const view = { columns: 120, color: false, unicode: true };
    return lookUp('format', 'markdown', REPORT_FORMATS).renderAll(results, view);
  }
}
