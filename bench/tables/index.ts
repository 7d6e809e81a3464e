import type { Table } from '../table.js';
import { attempts } from './attempts.js';

/** All tables, in the order in which they are measured and printed. */
export const tables: ReadonlyMap<string, Table> = new Map(
  [attempts].map((table) => [table.name, table]),
);
