import sql, { empty } from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
import type { Rows } from '#records/scope/snapshot-reader.js';

/** Notes of what differs from the records of an organization, by product; null stands for records without one. */
export interface StaleNotes {
  /** Hours whose rollups are stale, in Unix seconds. */
  readonly hours: ReadonlyMap<string | null, readonly number[]>;
  /** Days whose rollups differ from those of their hours. */
  readonly days: ReadonlyMap<string | null, readonly number[]>;
  /** Days whose blocks are missing or stale: every day with a note of its own, or with a stale hour. */
  readonly blocks: ReadonlyMap<string | null, readonly number[]>;
}

/** Reads the notes in the snapshot in which rollups and blocks will be used. */
export type ReadNotes = (rows: Rows) => Promise<StaleNotes>;

interface NoteRow {
  productId: string | null;
  hours: number[] | null;
  days: number[] | null;
  blocks: number[] | null;
}

/** Organization whose notes are read. */
interface NotesOf {
  readonly organizationId: string;
  /** Days whose blocks may be read, as ISO 8601. Without them, `blocks` is not known. */
  readonly days?: { readonly from: string; readonly to: string } | undefined;
}

/** Reads the notes of an organization. */
export const readNotes = async (rows: Rows, { organizationId, days: within }: NotesOf): Promise<StaleNotes> => {
  const ofBlocks = within
    ? sql`
        union all
        select product_id, extract(epoch from day)::float8, 'block' from record_dirty_block
        where organization_id = ${organizationId}::uuid and day + interval '1 day' > ${within.from}::timestamptz and day <= ${within.to}::timestamptz`
    : empty;
  const found = await rows<NoteRow>(
    sql`
      select product_id as "productId", array_agg(start) filter (where kind = 'hour') as hours,
        array_agg(start) filter (where kind = 'day') as days, array_agg(start) filter (where kind = 'block') as blocks
      from (
        select distinct product_id, extract(epoch from hour)::float8 as start, 'hour' as kind
        from record_dirty where organization_id = ${organizationId}::uuid
        union all
        select product_id, extract(epoch from day)::float8, 'day' from record_dirty_day where organization_id = ${organizationId}::uuid${ofBlocks}) d
      group by product_id`,
    within ? 'stale with blocks' : 'stale',
  );
  const of = (starts: (row: NoteRow) => readonly number[] | null) =>
    new Map(found.flatMap((row) => (starts(row) === null ? [] : [[row.productId, starts(row)!] as const])));
  return {
    hours: of(({ hours }) => hours),
    days: of(({ days }) => days),
    blocks: of(({ hours, blocks }) =>
      hours === null ? blocks : [...new Set([...(blocks ?? []), ...hours.map((hour) => hour - (hour % daySeconds))])],
    ),
  };
};

/** Returns a function that reads the notes once for all queries of a call. */
export const notesOf = (of: NotesOf): ReadNotes => {
  let notes: Promise<StaleNotes> | undefined;
  return (rows) => (notes ??= readNotes(rows, of));
};
