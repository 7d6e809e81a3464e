import type { Table } from '../table.js';
import { attempts } from './attempts.js';
import { figure } from './figure.js';
import { growth } from './growth.js';
import { punctuality } from './punctuality.js';
import { start } from './start.js';
import { watching } from './watching.js';

/** All tables, in the order in which they are measured and printed. */
export const tables: ReadonlyMap<string, Table> = new Map(
  [attempts, figure, punctuality, watching, start, growth].map((table) => [table.name, table]),
);
