import type { PlainJson } from '../../../json.js';
import type { AppendCall } from '../../record-log.js';
import { type CommitOptions, GroupCommit, type Work } from './commit.js';
import { Group } from './group.js';
import { onceName } from './idempotency.js';
import { CostlyHooks } from './separate.js';

/** What the store works with. */
export interface RecordStoreOptions extends CommitOptions {
  /** Whether calls that come at the same time share a transaction (they do unless this says otherwise). */
  grouping?: boolean;
  trace?: TraceGroup | undefined;
}

/** Does the work of a group of calls as a part of the traces that these name, the first of them foremost. */
export type TraceGroup = <Result>(traceparents: readonly string[], work: () => Promise<Result>) => Promise<Result>;

/** Takes records in. */
export interface RecordStore {
  /** Stores what can be stored of a call. When it answers, every stored record is committed with what goes alongside. */
  store(call: AppendCall): Promise<PlainJson>;
  /** Resolves when everything under way is settled. */
  close(): Promise<void>;
}

/** How calls are gathered, and how they would be if each had a transaction of its own. */
const together = { concurrency: 2, minWeight: 500, maxWeight: 1000 };
const alone = { concurrency: 10, minWeight: 0, maxWeight: 1 };
/** A call with so many items is large: it gains little from others in its transaction, and they would wait for it. */
const largeCall = 100;
/** Large calls, and those of organizations with costly hooks: groups under way at once, and items of one group. */
const apart = { concurrency: 3, maxWeight: 5000 };

const untraced: TraceGroup = (_traceparents, work) => work();

/** Opens the record store. */
export const createRecordStore = ({
  grouping = true,
  trace = untraced,
  ...options
}: RecordStoreOptions): RecordStore => {
  const costly = new CostlyHooks(() => performance.now());
  const commit = new GroupCommit(options, costly);
  const group = new Group<Work, PlainJson>({
    async run(works) {
      const begun = performance.now();
      const traceparents = works.flatMap(({ traceparent }) => traceparent ?? []);
      const outcomes = await trace(traceparents, () => commit.run(works));
      costly.took(works[0]!.organizationId, performance.now() - begun);
      return outcomes;
    },
    ...(grouping ? together : alone),
    apart: {
      ownerOf: ({ organizationId, weight }) =>
        (grouping && weight >= largeCall) || costly.has(organizationId) ? organizationId : undefined,
      isSlow: (organizationId) => costly.isSlow(organizationId),
      ...apart,
    },
  });
  return {
    store: (call) =>
      group.add({ ...call, weight: call.items.length, ...(call.once ? { name: onceName(call.once) } : {}) }),
    close: () => group.close(),
  };
};
