import type { PoolClient } from 'pg';
import { keyOfLine } from './newest.js';
import { findPasts } from './past-search.js';
import { type LineReader, readLine } from './stored-line.js';
import type { WalkedLine } from './walk.js';

/** Creates the reader of a line in PostgreSQL. */
export const storedReader = (tx: PoolClient, line: WalkedLine): LineReader => ({
  read: (part) => readLine(tx, line, line.span, part),
  async past({ ts, id }) {
    const { earlier } = line.shape.derivation;
    const pasts = await findPasts(tx, [{ ...line, earlier, before: { ts, id } }]);
    return pasts.get(keyOfLine(line))!;
  },
});
