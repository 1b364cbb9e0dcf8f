import { EventEmitter } from 'node:events';

/**
 * Publishes what this process has committed. Listeners run at once, so they must be quick. Other processes learn of it
 * by notices, or when they poll.
 */
export type CommitBus = EventEmitter<{
  records: [stored: readonly { id: string }[]];
  /** Deliveries that an attempt settled, that were created as pings, or that were made due again. */
  deliveries: [changed: readonly { hookId: string; id: string }[]];
  /** Identifiers of devices that have a new command, or another desired state. */
  downlink: [devices: readonly string[]];
}>;

export const createCommitBus = (): CommitBus => new EventEmitter();
