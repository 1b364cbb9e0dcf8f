import type { BlockMode } from '#config/config.js';
import type { NotedDay } from './noted-day.js';

/** Input of the thread that makes blocks. */
export interface BlockWork {
  readonly connectionString: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly mode: BlockMode;
}

/** Message of the thread that makes blocks: it begins a day, or the day cannot be in blocks. */
export interface BlockMessage {
  readonly day: NotedDay;
  readonly fault?: string;
}
