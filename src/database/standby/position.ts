import sql, { type Sql } from 'sql-template-tag';

/** A position in the write-ahead log: its timeline, and its distance from the beginning in bytes. */
export interface WalPosition {
  readonly timeline: number;
  readonly bytes: number;
}

/**
 * The position that contains everything that the primary has acknowledged so far, as text; null on a standby. It is the
 * end of what is flushed: later parts of the log may stay in the primary's memory for 0.2 s. With synchronous_commit
 * off they are acknowledged nevertheless.
 */
export const currentPosition: Sql = sql`
  case when not pg_is_in_recovery() then (
    select left(pg_walfile_name(p.at), 8) || ' ' || p.at
      from (select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
                   else pg_current_wal_flush_lsn() end as at) p) end`;

/** Parses `00000001 0/3000060`: the timeline in hexadecimal digits, and PostgreSQL's `pg_lsn`. */
export const positionOf = (text: string): WalPosition => {
  const [timeline = '', at = ''] = text.split(' ');
  return { timeline: Number.parseInt(timeline, 16), bytes: bytesOf(at) };
};

/** Parses a `pg_lsn`: the upper and the lower 32 bits in hexadecimal digits. */
export const bytesOf = (at: string): number => {
  const [high = '', low = ''] = at.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
};
