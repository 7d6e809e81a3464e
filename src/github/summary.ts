import { appendFile } from 'node:fs/promises';

/**
 * Keeps a comment that could not be posted: in the job's summary
 * (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands), or else
 * on stdout.
 * @param print writes to stdout
 * @returns where it is now, for a sentence
 */
export async function keepInSummary(
  body: string,
  env: NodeJS.ProcessEnv,
  print: (text: string) => Promise<unknown>,
): Promise<string> {
  const text = body.endsWith('\n') ? body : `${body}\n`;
  if (env.GITHUB_STEP_SUMMARY) {
    try {
      await appendFile(env.GITHUB_STEP_SUMMARY, text);
      return 'the job summary';
    } catch {
      // A summary that cannot be written must not lose the figures.
    }
  }
  await print(text);
  return 'stdout';
}
