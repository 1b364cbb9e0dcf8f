import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { type ItemResult, Rejection } from '#records/item.js';
import { readNative } from '#records/record-body.js';
import type { AppendCall, ChangesQuestion, Matchable } from '#records/record-log.js';
import { type WorldRecord, worldNow } from '../../search/world.js';
import type { Open, Opened } from './record-store.js';

const noon = worldNow / 1000;

/**
 * The contract of every record log. The world has the linked devices `a` and `b` and the unlinked `c`, all of one
 * product.
 */
export const describeRecordLog = (name: string, open: Open): void => {
  describe(`record log in ${name}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const append = async (records: readonly (WorldRecord & { key?: string })[], more: Partial<AppendCall> = {}) => {
      const { log, world } = opened;
      const { results } = await log.append({
        organizationId: world.organizationId,
        items: readNative(parsePlain(JSON.stringify(records))),
        verbose: true,
        ...more,
      });
      return results.map(({ index: _, ...result }) => result as ItemResult);
    };
    const idsOf = (results: readonly ItemResult[]) =>
      results.map((result) => ('recordId' in result ? result.recordId : result.status));
    const matchable = (id: string, serial: string, ts: number): Matchable => ({
      id,
      ts,
      device: {
        id: opened.devices[serial]!,
        organizationId: opened.world.organizationId,
        product: { id: opened.world.productIds['probe']! },
      },
    });

    it('returns one result per item of a call, in order', async () => {
      const results = await append([
        { serial: 'a', ts: noon - 1, data: { t: 1 } },
        { serial: 'nobody', ts: noon - 1, data: { t: 1 } },
        { serial: 'b', ts: noon - 1, data: { t: 2 } },
      ]);
      expect(results.map(({ status }) => status)).toEqual(['stored', 'rejected', 'stored']);
      expect(results[1]).toMatchObject({ error: { code: 'UNKNOWN_DEVICE' } });
    });

    it('reports a repeated record key of the same device as a duplicate', async () => {
      const record = { serial: 'a', ts: noon - 2, data: { t: 1 }, key: 'same' };
      const [first] = await append([record]);
      expect(await append([record])).toEqual([{ status: 'duplicate', recordId: idsOf([first!])[0] }]);
    });

    it('returns the first answer for a repeated idempotency key, and refuses the key with another body', async () => {
      const { organizationId } = opened.world;
      const idempotencyKey = { organizationId, path: 'records', key: 'once', bodyHash: Buffer.from('1') };
      const another = { ...idempotencyKey, bodyHash: Buffer.from('2') };
      const record: WorldRecord = { serial: 'a', ts: noon - 3, data: { t: 1 } };
      const first = await append([record], { idempotencyKey });
      expect(await append([record], { idempotencyKey })).toEqual(first);
      await expect(append([record], { idempotencyKey: another })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    });

    it('stores no record of a call that is refused whole', async () => {
      const count = () =>
        opened.transaction((tx) =>
          opened.log.count(tx, { deviceIds: Object.values(opened.devices), from: null, to: null }),
        );
      const before = await count();
      const records = [
        { serial: 'a', ts: noon, data: {} },
        { serial: 'nobody', ts: noon, data: {} },
      ];
      const refused = append(records, { refusedIf: 'any' });
      await expect(refused).rejects.toBeInstanceOf(Rejection);
      await expect(refused).rejects.toMatchObject({ code: 'UNKNOWN_DEVICE' });
      expect(await count()).toBe(before);
    });

    it('matches records against a query, and lets all records through when the query cannot be evaluated', async () => {
      const times = [noon - 10, noon - 11];
      const [cold, warm] = idsOf(
        await append(times.map((ts, index) => ({ serial: 'a', ts, data: { t: index * 20 } }))),
      );
      const records = [matchable(cold!, 'a', times[0]!), matchable(warm!, 'a', times[1]!)];
      const match = (query: PlainJson) =>
        opened.transaction((tx) => opened.log.match(tx, query, records, { now: worldNow, timeoutMs: 5000 }));
      const range = { range: { 'data.t': { gte: 10 } } };
      expect(await match(range)).toEqual({ ids: new Set([warm]), unanswered: 0, timedOut: false });
      const wrong = { term: { 'data.t': 'no number' } };
      expect(await match(wrong)).toEqual({ ids: new Set([cold, warm]), unanswered: 2, timedOut: false });
      const all = { match_all: {} };
      expect(await opened.log.matchCommitted([range, wrong, all], records, 5000)).toEqual([
        new Set([warm]),
        undefined,
        new Set([cold, warm]),
      ]);
    });

    it("reads and counts a device's records in a time range, ordered by time, both ends included", async () => {
      const times = [3, 1, 2].map((second) => noon - 1000 + second);
      await append(times.map((ts) => ({ serial: 'c', ts, data: { t: ts } })));
      const range = { from: noon - 999, to: noon - 998 };
      const page = await opened.transaction((tx) =>
        opened.log.scan(tx, { deviceId: opened.devices['c']!, ...range }, null),
      );
      expect(page).toMatchObject({ records: [{ ts: noon - 999 }, { ts: noon - 998 }] });
      expect(page.next).toBeUndefined();
      const counted = await opened.transaction((tx) =>
        opened.log.count(tx, { deviceIds: [opened.devices['c']!], ...range }),
      );
      expect(counted).toBe(2);
    });

    it('lists the records committed after a snapshot, of linked devices only', async () => {
      const { world, log } = opened;
      const unseenBy = await opened.snapshot();
      const ids = idsOf(
        await append([
          { serial: 'b', ts: noon, data: { t: 5 } },
          { serial: 'c', ts: noon, data: { t: 6 } },
        ]),
      );
      const question: ChangesQuestion = {
        unseenBy,
        organizationIds: [world.organizationId],
        applicationIds: [world.applicationId],
        ranges: [{ low: '00000000-0000-0000-0000-000000000000', high: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }],
        limit: 10,
        maxBytes: 100_000,
        maxTotalBytes: 100_000,
        slow: false,
      };
      const told = await log.changes(question);
      expect(told).toMatchObject([{ id: ids[0], deviceId: opened.devices['b'], applications: [world.applicationId] }]);
      expect(JSON.parse(told[0]!.data!)).toEqual({ t: 5 });
      expect(await log.changes({ ...question, after: ids[0]! })).toEqual([]);
      expect(await log.changes({ ...question, maxBytes: 1 })).toMatchObject([{ id: ids[0], data: null }]);
      expect(await log.changes({ ...question, seenBy: unseenBy })).toEqual([]);
    });

    it('redecodes every stored record in a dry run, and changes none', async () => {
      const { world, log } = opened;
      const input = { productId: world.productIds['probe']!, from: null, to: null, dryRun: true };
      const step = await opened.transaction((tx) =>
        log.redecode(tx, { organizationId: world.organizationId, input, cursor: null }),
      );
      const total = await opened.transaction((tx) =>
        log.count(tx, { deviceIds: Object.values(opened.devices), from: null, to: null }),
      );
      expect(step).toMatchObject({ done: total, total, changed: 0, finished: true });
    });
  });
};
