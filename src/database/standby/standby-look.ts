import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../queryable.js';
import { positionOf } from './position.js';
import { hostAndPort } from './standby.js';
import { connectToStandby, type PrimaryRow, primaryQuery, type StandbyConnection } from './standby-connection.js';

/** State of a standby, as an operator wants to know it. */
export interface StandbyLook {
  readonly name: string;
  /** Reason for which it answers no reads; undefined if it can. */
  readonly fault?: string;
  /** Time in which it replayed what the primary had acknowledged, in seconds; undefined if it did not in time. */
  readonly lag?: number;
  /** Number of bytes of the log that it had not replayed at the end. */
  readonly bytes?: number;
  readonly givesFeedback?: boolean;
}

/** Maximum wait for a standby to catch up, in milliseconds. */
const longest = 2000;

/** Measures how far a standby is behind its primary. */
export async function lookAtStandby(primary: Queryable, connectionString: string): Promise<StandbyLook> {
  const name = hostAndPort(connectionString);
  let connection: StandbyConnection | undefined;
  try {
    const { rows } = await primary.query<PrimaryRow>(primaryQuery);
    connection = await connectToStandby(connectionString, rows[0]!, () => undefined);
    const { position } = (await primary.query<PrimaryRow>(primaryQuery)).rows[0]!;
    if (position === null) return { name, fault: 'DATABASE_URL names a standby.' };
    const wanted = positionOf(position);
    const begun = performance.now();
    const { givesFeedback } = connection;
    for (;;) {
      const { timeline, bytes } = await connection.replayed();
      const took = performance.now() - begun;
      if (timeline === wanted.timeline && bytes >= wanted.bytes) return { name, lag: took / 1000, givesFeedback };
      if (took > longest) {
        if (timeline !== wanted.timeline) return { name, fault: 'It follows another primary.' };
        return { name, bytes: wanted.bytes - bytes, givesFeedback };
      }
      await delay(5);
    }
  } catch (error) {
    return { name, fault: (error as Error).message };
  } finally {
    connection?.close();
  }
}
