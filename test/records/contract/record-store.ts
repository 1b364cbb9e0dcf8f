import type { PoolClient } from 'pg';
import type { RecordIndex } from '#records/record-index.js';
import type { RecordLog, StoredRecords } from '#records/record-log.js';
import type { World } from '../../search/world.js';

/** A log and an index in a world without records. The index finds whatever the log has stored. */
export interface Opened {
  readonly log: RecordLog & StoredRecords;
  readonly index: RecordIndex;
  readonly world: World;
  /** Device identifiers by serial. */
  readonly devices: Readonly<Record<string, string>>;
  /** Runs work in a transaction of the log's database. */
  transaction<T>(work: (tx: PoolClient) => Promise<T>): Promise<T>;
  /** Takes a snapshot of the log's database, as `changes` does. */
  snapshot(): Promise<string>;
  close(): Promise<void>;
}

/** Opens an implementation. */
export type Open = () => Promise<Opened>;
