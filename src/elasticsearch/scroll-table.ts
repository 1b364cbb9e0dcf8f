import type { Pool } from 'pg';
import sql, { join } from 'sql-template-tag';
import { newId } from '../entities/id.js';
import type { PlainJson } from '../json.js';
import { transaction } from '../transaction.js';

/** The application that a scroll is of. */
export interface ScrollPlace {
  readonly organizationId: string;
  readonly applicationId: string;
}

/** An open scroll. */
export interface Scroll {
  /** Its query without aggregations, with a last sort key that no two records share. */
  readonly query: { readonly [key: string]: PlainJson };
  /** Number of sort values that a hit shows. */
  readonly shown: number;
  /** Number of records that match; undefined where the answer leaves it out. */
  readonly total?: PlainJson | undefined;
  /** Sort values of the last hit that was given; undefined where there was none. */
  readonly position?: PlainJson[] | undefined;
}

/** A scroll as it was read: its position may have moved since. */
export interface ReadScroll extends Scroll {
  /** Pages that were given. */
  readonly page: number;
}

/** Scrolls that an organization may have open, as the engines allow unless they are set otherwise. */
export const maxOpenScrolls = 500;

/** Most characters of a scroll's query, as JSON. */
export const maxScrollQuery = 256 * 1024;

/** A scroll is kept for a minute at least: the engines look for those that are over once a minute. Milliseconds. */
const shortest = 60_000;

/** Rows that one statement sweeps. */
const swept = 1000;

/** Keeps where scrolls are. Whatever is over answers as what never was. */
export interface ScrollTable {
  /** Keeps a new scroll for so many milliseconds; undefined where the organization has as many as it may have. */
  open(place: ScrollPlace, scroll: Scroll, keepAlive: number): Promise<string | undefined>;
  find(place: ScrollPlace, id: string): Promise<ReadScroll | undefined>;
  /** Moves the position on, and keeps the scroll for so many milliseconds from now. Whether nobody else did so meanwhile. */
  advance(id: string, from: ReadScroll, position: Scroll['position'], keepAlive: number): Promise<boolean>;
  /** Ends a scroll with the page that was read. Whether nobody else moved it meanwhile. */
  finish(id: string, from: ReadScroll): Promise<boolean>;
  /** Ends these scrolls of an application, or all of it; how many there were. */
  free(place: ScrollPlace, ids: readonly string[] | 'all'): Promise<number>;
  /** Deletes scrolls that are over. */
  sweep(): Promise<void>;
}

interface Row {
  query: string;
  shown: number;
  total: string | null;
  position: string | null;
  page: number;
}

/** Keeps scrolls in PostgreSQL. @param clock milliseconds since the epoch */
export const createScrollTable = (pool: Pool, clock: () => number): ScrollTable => {
  const now = () => new Date(clock());
  const end = (keepAlive: number) => new Date(clock() + Math.max(shortest, keepAlive));
  return {
    open: ({ organizationId, applicationId }, { query, shown, total, position }, keepAlive) =>
      transaction(pool, async (tx) => {
        // Two that open the last one at once would both count one too few.
        await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('scroll ' || ${organizationId}, 0))`);
        await tx.query(sql`delete from scroll where organization_id = ${organizationId} and expires_at <= ${now()}`);
        const { rows } = await tx.query<{ id: string }>(sql`
          insert into scroll (id, organization_id, application_id, query, shown, total, position, expires_at)
          select ${newId()}, ${organizationId}, ${applicationId}, ${JSON.stringify(query)}, ${shown}::int, ${textOf(total)},
                 ${textOf(position)}, ${end(keepAlive)}::timestamptz
           where (select count(*) from scroll where organization_id = ${organizationId}) < ${maxOpenScrolls}
          returning id`);
        return rows[0]?.id;
      }),
    async find({ organizationId, applicationId }, id) {
      const { rows } = await pool.query<Row>(sql`
        select query, shown, total, position, page from scroll
         where id = ${id} and organization_id = ${organizationId} and application_id = ${applicationId}
           and expires_at > ${now()}`);
      return rows[0] && scrollOf(rows[0]);
    },
    async advance(id, { page }, position, keepAlive) {
      const { rowCount } = await pool.query(sql`
        update scroll set position = ${textOf(position)}, page = page + 1, expires_at = ${end(keepAlive)}
         where id = ${id} and page = ${page}`);
      return rowCount === 1;
    },
    async finish(id, { page }) {
      const { rowCount } = await pool.query(sql`delete from scroll where id = ${id} and page = ${page}`);
      return rowCount === 1;
    },
    async free({ organizationId, applicationId }, ids) {
      const conditions = [
        sql`organization_id = ${organizationId} and application_id = ${applicationId}`,
        ...(ids === 'all' ? [] : [sql`id = any(${ids}::uuid[])`]),
      ];
      const { rows } = await pool.query<{ open: boolean }>(sql`
        delete from scroll where ${join(conditions, ' and ')} returning expires_at > ${now()} as open`);
      return rows.filter(({ open }) => open).length;
    },
    async sweep() {
      for (;;) {
        const { rowCount } = await pool.query(sql`
          delete from scroll where id = any(array(
            select id from scroll where expires_at <= ${now()} order by expires_at limit ${swept}))`);
        if (rowCount !== swept) return;
      }
    },
  };
};

const textOf = (value: PlainJson | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

const scrollOf = ({ query, shown, total, position, page }: Row): ReadScroll => ({
  query: JSON.parse(query) as Scroll['query'],
  shown,
  page,
  ...(total !== null && { total: JSON.parse(total) as PlainJson }),
  ...(position !== null && { position: JSON.parse(position) as PlainJson[] }),
});
