import type { PoolClient } from 'pg';
import { comparePositions, type Past } from '#records/derive/past.js';
import { computePending, type NewRecord } from '#records/new-record.js';
import { rewriteRecords } from '../log/rewrite.js';
import { keepRows } from '../upkeep/alone-day.js';
import { type DueLine, noteDue } from './due.js';
import { type KeptLine, keepNewest, keyOfLine, lockLines, type Newest } from './newest.js';
import { findPasts } from './past-search.js';
import { type AloneSpan, findAloneSpan } from './stored-line.js';
import { storedReader } from './stored-reader.js';
import { Walk, type WalkedLine } from './walk.js';

/** New records of a line, in order. */
interface NewPart extends WalkedLine {
  records: NewRecord[];
}

/** Maximum number of stored records of a line that a transaction computes again. The upkeep does the rest. */
const maxFollowing = 500;

/**
 * Computes the records of a transaction that read earlier ones, under the locks of their lines, and the stored records
 * that read them. Other records are left alone.
 */
export const completeRecords = async (tx: PoolClient, fresh: readonly NewRecord[]): Promise<void> => {
  const parts = partsOf(fresh);
  if (parts.length === 0) return;
  const locked = await lockLines(tx, parts);
  const spans = new Map<string, AloneSpan>();
  if (parts.some((part) => newestOf(part, locked) === undefined || isLate(part, newestOf(part, locked)))) {
    await keepRows(tx);
    for (const part of parts) {
      const key = `${part.organizationId} ${part.productId}`;
      if (!spans.has(key)) spans.set(key, await findAloneSpan(tx, part));
      part.span = spans.get(key);
    }
  }
  const unknown = parts.filter((part) => newestOf(part, locked) === undefined);
  const needs = unknown.map((part) => ({ ...part, earlier: part.shape.derivation.earlier }));
  const searched = await findPasts(tx, needs);
  const due: DueLine[] = [];
  const kept: KeptLine[] = [];
  for (const part of parts) {
    const past = newestOf(part, locked) ?? searched.get(keyOfLine(part))!;
    due.push(...(await complete(tx, part, past)));
    kept.push({ ...part, past, names: part.shape.derivation.earlier.names });
  }
  await keepNewest(tx, kept);
  await noteDue(tx, due);
};

/**
 * Computes the records of a transaction that read earlier ones, where stored records are elsewhere. Records in order know
 * what they read. Late ones, and the first of a line, have no earlier values until {@link noteDue} has them computed.
 */
export const completeWithoutSearch = async (tx: PoolClient, fresh: readonly NewRecord[]): Promise<void> => {
  const parts = partsOf(fresh);
  if (parts.length === 0) return;
  const locked = await lockLines(tx, parts);
  const due: DueLine[] = [];
  const kept: KeptLine[] = [];
  for (const part of parts) {
    const { names } = part.shape.derivation.earlier;
    const past = newestOf(part, locked);
    const late = part.records.filter((record) => past === undefined || isBefore(record, past));
    const [first, last] = [late[0], late.at(-1)];
    if (first && last) due.push({ ...part, from: first.ts, to: last.ts, names });
    for (const record of late) computePending(record, record.pending!);
    if (past === undefined) continue;
    for (const record of late) past.add(record, measuredOf(record, part));
    computeInOrder(part, part.records.slice(late.length), past);
    kept.push({ ...part, past, names });
  }
  await keepNewest(tx, kept);
  await noteDue(tx, due);
};

/** Returns what a device measured last, if it is known of all variables that the formulas read. */
const newestOf = (part: NewPart, locked: ReadonlyMap<string, Newest>): Past | undefined => {
  const newest = locked.get(keyOfLine(part));
  return newest !== undefined && part.shape.derivation.earlier.names.every((name) => newest.names.has(name))
    ? newest.past
    : undefined;
};

const isLate = ({ records }: NewPart, past: Past | undefined): boolean =>
  past !== undefined && isBefore(records[0]!, past);

const isBefore = (record: NewRecord, { newest }: Past): boolean =>
  newest !== undefined && comparePositions(record, newest) < 0;

const measuredOf = ({ pending }: NewRecord, { shape }: NewPart) =>
  shape.derivation.earlier.measured(pending!.content.data);

/** Computes records that come after all stored ones. */
const computeInOrder = (part: NewPart, records: readonly NewRecord[], past: Past): void => {
  for (const record of records) {
    computePending(record, record.pending!, past);
    past.add(record, measuredOf(record, part));
  }
};

/** Computes the records of one line. Returns what is left to the upkeep. */
const complete = async (tx: PoolClient, part: NewPart, past: Past): Promise<DueLine[]> => {
  const { records } = part;
  const late = records.filter((record) => isBefore(record, past));
  const due: DueLine[] = [];
  if (late.length > 0) {
    const walk = new Walk(tx, part, storedReader(tx, part), maxFollowing);
    await walk.addRecords(late);
    await rewriteRecords(tx, part, walk.changes);
    past.merge(walk.added);
    const { rest } = walk;
    if (rest !== undefined)
      due.push({
        ...part,
        from: rest.row.seconds,
        to: late.at(-1)!.ts,
        names: [...rest.names],
      });
  }
  computeInOrder(part, records.slice(late.length), past);
  return due;
};

const partsOf = (fresh: readonly NewRecord[]): NewPart[] => {
  const parts = new Map<string, NewPart>();
  for (const record of fresh) {
    const { pending, device } = record;
    if (pending === undefined || device.product === undefined) continue;
    const line = { deviceId: device.id, productId: device.product.id };
    const known = parts.get(keyOfLine(line));
    if (known !== undefined) known.records.push(record);
    else
      parts.set(keyOfLine(line), {
        ...line,
        organizationId: device.organizationId,
        shape: pending.shape as WalkedLine['shape'],
        span: undefined,
        records: [record],
      });
  }
  for (const { records } of parts.values()) records.sort(comparePositions);
  return [...parts.values()];
};
