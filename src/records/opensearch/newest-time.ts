import { timeOf } from '#entities/id.js';
import { orderTime } from '#scheduling/order-time.js';
import type { Engine, EngineCall, EngineHit, EngineRange, Part } from './engine.js';

/** Number of records, the last stored ones, that are read of a device whose newest record was ahead. */
export const lastStored = 20;
/** Number of such devices of one request. */
const together = 100;

/**
 * Finds the order time of each device's newest record, in Unix seconds (see `orderTime`). No record has a greater order
 * time than its `ts`. So if the record with the greatest `ts` was ahead, only those after its arrival are read.
 */
export const newestTimesOf = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  deviceIds: readonly string[],
): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  const ahead: string[] = [];
  const answers = await engine.search(
    call,
    deviceIds.map((id) => newest([{ term: { d: id } }], 1, [{ us: 'desc' }])),
  );
  answers.forEach(({ hits: { hits } }, index) => {
    const [hit] = hits;
    if (hit === undefined) return;
    const [at, ts] = [orderOf(hit), secondsOf(hit)];
    found.set(deviceIds[index]!, at);
    if (at < ts) ahead.push(deviceIds[index]!);
  });
  for (let start = 0; start < ahead.length; start += together) {
    const some = ahead.slice(start, start + together);
    const later = await engine.search(
      call,
      some.map((id) => newest([{ term: { d: id } }, since(found.get(id)!)], lastStored, [{ seq: 'desc' }])),
    );
    later.forEach(({ hits: { hits } }, index) => {
      const id = some[index]!;
      found.set(id, Math.max(found.get(id)!, ...hits.map(orderOf)));
    });
  }
  return found;
};

/** Builds a condition on the time of measurement, from a time in Unix seconds on. */
export const since = (seconds: number): Part => ({ range: { us: { gte: Math.floor(seconds * 1e6) } } });

const newest = (filter: readonly Part[], size: number, sort: readonly Part[]): Part => ({
  size,
  track_total_hits: false,
  _source: false,
  docvalue_fields: ['us'],
  query: { bool: { filter } },
  sort,
});

const secondsOf = ({ fields }: EngineHit): number => Number(fields!['us']![0]) / 1e6;

const orderOf = (hit: EngineHit): number => orderTime(secondsOf(hit), timeOf(hit._id));
