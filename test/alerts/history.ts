import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { fold, initialState, type Sample } from '#alerts/fold.js';

/** A measured value: seconds after the first, and degrees. */
export interface Point {
  ts: number;
  t: number;
}

/** An episode by the times of the records that opened and closed it. */
export type EpisodeTimes = readonly [opened: number, closed: number | null];

/** The decision of the rule under test: above 8 degrees for `for` seconds, until below 6. */
export const decision = {
  kind: 'threshold',
  when: { all: [{ variable: 't', operator: 'gt', value: 8 }] },
  until: { all: [{ variable: 't', operator: 'lt', value: 6 }] },
  for: 20,
  maxGap: 60,
};

const begin = 1_750_000_000;

/** The batches of a device in the order of sending: no record is older than one of an earlier batch. */
export const histories: fc.Arbitrary<Point[][]> = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 80 }), t: fc.integer({ min: 3, max: 11 }), cut: fc.boolean() }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((steps) => {
    const batches: Point[][] = [[]];
    let ts = begin;
    for (const { gap, t, cut } of steps) {
      ts += gap;
      if (cut && batches.at(-1)!.length > 0) batches.push([]);
      batches.at(-1)!.push({ ts, t });
    }
    return batches;
  });

/** The expected episodes of all records, in order of their timestamps. */
export function expectedOf(batches: readonly (readonly Point[])[]): EpisodeTimes[] {
  const samples = batches
    .flat()
    .toSorted((a, b) => a.ts - b.ts)
    .map(({ ts, t }): Sample => ({ ts, when: t > 8, until: t < 6, record: ts }));
  const spans: [number, number | null][] = [];
  for (const { kind, sample } of fold(decision, initialState, samples).changes) {
    if (kind === 'opened') spans.push([sample.ts, null]);
    else spans.at(-1)![1] = sample.ts;
  }
  return spans;
}

/** The stored episodes of a device. */
export async function spansOf(pool: Pick<pg.Pool, 'query'>, deviceId: string): Promise<EpisodeTimes[]> {
  const { rows } = await pool.query<{ opened: number; closed: number | null }>(sql`
    select extract(epoch from opened_at)::float8 opened, extract(epoch from closed_at)::float8 closed
      from episode where device_id = ${deviceId} order by opened_at`);
  return rows.map(({ opened, closed }) => [opened, closed]);
}

/** Repeats a request until it returns 200, as a client of a service that is down at times does. */
export async function insist(send: () => Promise<number>): Promise<void> {
  for (;;) {
    const status = await send().catch(() => 0);
    if (status === 200) return;
    await pause(20);
  }
}
