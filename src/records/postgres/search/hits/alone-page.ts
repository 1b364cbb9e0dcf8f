import type { QueryReader } from '#records/scope/snapshot-reader.js';
import { aloneWithin, narrow, type Scope } from '../sql/record-scan.js';
import { nameOfText } from '../statement-names.js';
import { type BlockHit, type BlockHits, completeHits, noBlockHits } from './block-hit.js';
import { aloneInSteps } from './newest.js';
import { atOnce, type HitsRequest, isOnePlan, lengthOf, readsBlocks, statement } from './page.js';

/*
 * A page whose records may be only in blocks. SQL orders the records, and returns those of rows whole, those of blocks as
 * places, at which Node decodes them.
 */

/** Reads the rows of a page, with the columns of `hitColumns`. */
export const readAlonePage = async (
  reader: QueryReader,
  request: HitsRequest,
): Promise<{ rows: unknown[][]; inBlocks: BlockHits }> => {
  const parts = partsOf(request);
  // The number of records that a part skips is not known before its records are counted.
  const isWhole = parts.length === 1;
  const wanted = isWhole ? request.size : request.from + request.size;
  let rows: unknown[][] = [];
  const inBlocks = new Map<string, BlockHit>();
  for (const scope of parts) {
    const left = wanted - rows.length;
    if (left === 0) break;
    const part = { ...request, scope, from: isWhole ? request.from : 0, size: left };
    const found = await readPart(reader, part);
    for (const [id, hit] of found.inBlocks) inBlocks.set(id, hit);
    rows = [...rows, ...found.rows];
  }
  return { rows: isWhole ? rows : rows.slice(request.from), inBlocks };
};

const partsOf = (request: HitsRequest): Scope[] => {
  const { scope, rest } = narrow(request.scope, request.predicates);
  return aloneInSteps({ ...request, predicates: rest }, aloneWithin(scope, rest)!.spans);
};

const readPart = async (
  reader: QueryReader,
  part: HitsRequest,
): Promise<{ rows: unknown[][]; inBlocks: BlockHits }> => {
  const page = statement(part);
  const rows: unknown[][] = [];
  const take = (batch: unknown[][]) => {
    for (const row of batch) part.weigh(lengthOf(row));
    rows.push(...batch);
  };
  if (part.size > atOnce) await reader.batches(page, take);
  else take(await reader.tuples(page, isOnePlan(part) ? nameOfText(page.text) : undefined));
  return { rows, inBlocks: readsBlocks(part) ? await completeHits(reader, rows, 0, part.weigh) : noBlockHits };
};
