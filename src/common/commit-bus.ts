import { EventEmitter } from 'node:events';

/**
 * Publishes what this process has committed. Listeners run at once, so they must be quick. Other processes learn of it
 * by notices, or when they poll.
 */
export type CommitBus = EventEmitter<{
  records: [stored: readonly { id: string }[]];
  /** Deliveries whose attempt was settled, that are pings, or that are made again. */
  deliveries: [changed: readonly { hookId: string; id: string }[]];
}>;

export const createCommitBus = (): CommitBus => new EventEmitter();
