import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metadata } from './mmds-requests.js';

/** envd keeps the identity in files too (internal/host/mmds.go). @throws Error where it cannot */
export function keepFiles(folder: string | undefined, metadata: Metadata): void {
  if (!folder) return;
  makeFolder(folder);
  writeFileSync(join(folder, '.E2B_SANDBOX_ID'), metadata.sandboxId);
  writeFileSync(join(folder, '.E2B_TEMPLATE_ID'), metadata.templateId);
}

/** Not with `recursive`: Node 20 then tries for ever where a parent exists and yet ENOENT is the answer. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}
