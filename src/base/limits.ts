/** What the kernel says when a limit of the machine is reached, and how to mend that. */
const LIMITS: readonly [sign: RegExp, mend: string][] = [
  [/\bEMFILE\b/, 'Too few open files are allowed: raise the limit with ulimit -n 1024'],
  [/\bENFILE\b/, 'This machine has no open files left: sysctl fs.file-max'],
  [
    /\bEAGAIN\b|Resource temporarily unavailable/,
    'Too few processes are allowed: raise the limit with ulimit -u, or run fewer lanes at once',
  ],
  [
    /\bENOMEM\b|Cannot allocate memory/,
    'There is too little memory: free some, or run --sequential',
  ],
  [/\bENOSPC\b/, 'The disk is full: free some space, or give another --out'],
];

/** How to mend it, where a message tells of a limit of the machine; undefined for any other. */
export function mendOfLimit(message: string): string | undefined {
  return LIMITS.find(([sign]) => sign.test(message))?.[1];
}
