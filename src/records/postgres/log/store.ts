import type { AppendCall, AppendResult } from '#records/record-log.js';
import { type CommitOptions, GroupCommit } from './commit.js';
import { CostlyHooks } from './costly-hooks.js';
import { Group } from './group.js';
import { nameOfKey } from './idempotency-key.js';
import type { Work } from './prepared-group.js';

export interface RecordStoreOptions extends CommitOptions {
  trace?: TraceGroup | undefined;
}

/** Runs the work of a group of calls as part of the given traces, of which the first is the parent. */
export type TraceGroup = <Result>(traceparents: readonly string[], work: () => Promise<Result>) => Promise<Result>;

/** Stores records. */
export interface RecordStore {
  /**
   * Stores the valid items of a call. When it resolves, every stored record is committed, together with the writes that
   * follow from it.
   * @throws Rejection of the first rejected item of a call that is refused (`refusedIf`)
   * @throws ApiError 422 for an idempotency key that came with another body
   */
  store(call: AppendCall): Promise<AppendResult>;
  /** Resolves when everything in progress is settled. */
  close(): Promise<void>;
}

/** Settings of groups: transactions in progress, and items of one. */
const groupSettings = { concurrency: 2, minWeight: 500, maxWeight: 1000 };
/**
 * Number of items from which a call is large: it gains little from sharing a transaction, and the other calls would
 * wait for it.
 */
const largeCall = 100;
/**
 * Settings of isolated groups, for large calls and for organizations with costly hooks: groups in progress, and items
 * of one group.
 */
const isolated = { concurrency: 3, maxWeight: 5000 };

const untraced: TraceGroup = (_traceparents, work) => work();

export const createRecordStore = ({ trace = untraced, ...options }: RecordStoreOptions): RecordStore => {
  const costly = new CostlyHooks(() => performance.now());
  const commit = new GroupCommit(options, costly);
  const group = new Group<Work, AppendResult>({
    async run(works) {
      const begun = performance.now();
      const traceparents = works.flatMap(({ traceparent }) => traceparent ?? []);
      const outcomes = await trace(traceparents, () => commit.run(works));
      costly.took(works[0]!.organizationId, performance.now() - begun);
      return outcomes;
    },
    ...groupSettings,
    isolation: {
      ownerOf: ({ organizationId, weight }) =>
        weight >= largeCall || costly.has(organizationId) ? organizationId : undefined,
      isSlow: (organizationId) => costly.isSlow(organizationId),
      ...isolated,
    },
  });
  return {
    store(call) {
      const name = call.idempotencyKey && nameOfKey(call.idempotencyKey);
      return group.add({ ...call, weight: call.items.length, ...(name !== undefined && { name }) });
    },
    close: () => group.close(),
  };
};
