import type { Pool } from 'pg';
import sql, { join } from 'sql-template-tag';
import { transaction } from '#database/transaction.js';
import { newId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';

/** Application of a scroll. */
export interface ScrollPlace {
  readonly organizationId: string;
  readonly applicationId: string;
}

/** An open scroll. */
export interface Scroll {
  /** Query without aggregations, with a unique last sort key. */
  readonly query: { readonly [key: string]: PlainJson };
  /** Number of sort values that a hit shows. */
  readonly shown: number;
  /** Number of matching records; undefined if the response omits it. */
  readonly total?: PlainJson | undefined;
  /** Sort values of the last hit given out; undefined if there was none. */
  readonly position?: PlainJson[] | undefined;
}

/** A scroll as it was read. Its position may have moved since. */
export interface ReadScroll extends Scroll {
  /** Number of pages given out. */
  readonly page: number;
}

/** Maximum number of open scrolls of an organization: the engines' default. */
export const maxOpenScrolls = 500;

/** Maximum length of a scroll's query, in characters of JSON. */
export const maxScrollQuery = 256 * 1024;

/** Minimum time that a scroll is kept, in milliseconds: the engines look for expired ones once a minute. */
const shortest = 60_000;

/** Maximum number of rows that one statement purges. */
const swept = 1000;

/** Stores the positions of scrolls. An expired scroll behaves like one that never existed. */
export interface ScrollTable {
  /**
   * Stores a new scroll for `keepAlive` milliseconds. Returns its identifier, or undefined if the organization has the
   * maximum number.
   */
  open(place: ScrollPlace, scroll: Scroll, keepAlive: number): Promise<string | undefined>;
  find(place: ScrollPlace, id: string): Promise<ReadScroll | undefined>;
  /**
   * Moves the position, and keeps the scroll for `keepAlive` milliseconds from now. Returns false if another call has
   * moved it meanwhile.
   */
  advance(id: string, from: ReadScroll, position: Scroll['position'], keepAlive: number): Promise<boolean>;
  /** Ends a scroll after the page that was read. Returns false if another call has moved it meanwhile. */
  finish(id: string, from: ReadScroll): Promise<boolean>;
  /** Ends the given scrolls of an application, or all of them. Returns their number. */
  free(place: ScrollPlace, ids: readonly string[] | 'all'): Promise<number>;
  /** Deletes expired scrolls. */
  sweep(): Promise<void>;
}

interface Row {
  query: string;
  shown: number;
  total: string | null;
  position: string | null;
  page: number;
}

/**
 * Creates the table of scrolls in PostgreSQL.
 * @param clock returns milliseconds since 1970
 */
export const createScrollTable = (pool: Pool, clock: () => number): ScrollTable => {
  const now = () => new Date(clock());
  const end = (keepAlive: number) => new Date(clock() + Math.max(shortest, keepAlive));
  return {
    open: ({ organizationId, applicationId }, { query, shown, total, position }, keepAlive) =>
      transaction(pool, async (tx) => {
        // Without the lock, two concurrent calls that open the last scroll would both count one too few.
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
