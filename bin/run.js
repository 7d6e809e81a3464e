#!/usr/bin/env node

// A file that cannot even be loaded is told like any other error: in one line, with the mend.
const loaded = await import('../dist/src/main.js').catch((thrown) => {
  const mend =
    thrown.code === 'EMFILE' ? 'Raise the limit of open files: ulimit -n 1024' : 'Build it: npm ci';
  process.stderr.write(`envd-bench: cannot be loaded: ${thrown.message.split('\n')[0]}. ${mend}\n`);
  if (process.env.DEBUG) process.stderr.write(`${thrown.stack}\n`);
  process.exitCode = 2;
});
await loaded?.main(process.argv.slice(2));
