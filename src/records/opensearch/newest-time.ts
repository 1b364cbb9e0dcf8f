import { timeOf } from '#entities/id.js';
import { orderTime } from '#scheduling/order-time.js';
import type { Engine, EngineCall, EngineHit, EngineRange, Part } from './engine.js';

/** Number of records, the last stored ones, that are read first if a newest record was ahead. */
const lastStored = 20;
/** Maximum number of records that are read if none of those was ahead; the engine returns no more. */
const mostRead = 10_000;
/** Maximum number of searches of one request. */
const searchesPerRequest = 100;

/** A record, and the time by which it is the newest, in Unix seconds (see `orderTime`). */
interface Newest {
  readonly id: string;
  readonly at: number;
  readonly isAhead: boolean;
}

/** Finds the order time of each device's newest record, in Unix seconds. */
export const newestTimesOf = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  deviceIds: readonly string[],
): Promise<Map<string, number>> => {
  const found = await newestOfEach(
    engine,
    call,
    deviceIds.map((id) => [{ term: { d: id } }]),
  );
  return new Map(found.flatMap((one, index) => (one === undefined ? [] : [[deviceIds[index]!, one.at] as const])));
};

/**
 * Finds the record with the greatest order time among those that meet each filter, which are of one device. No record
 * has a greater order time than its `ts`. So if the record with the greatest `ts` was ahead, only those after its
 * arrival can follow it: the last stored ones, as a record that was ahead arrived after all that were stored before it.
 * If none of the last stored was ahead, such as after much late data, all after the newest of them are read.
 */
export const newestOfEach = async (
  engine: Engine,
  call: EngineCall & EngineRange,
  filters: readonly (readonly Part[])[],
): Promise<(Newest | undefined)[]> => {
  const found: (Newest | undefined)[] = [];
  const look = async (
    places: readonly number[],
    searchOf: (filter: readonly Part[], place: number) => Part,
    atOnce = searchesPerRequest,
  ): Promise<Newest[][]> => {
    const records: Newest[][] = [];
    for (let start = 0; start < places.length; start += atOnce) {
      const some = places.slice(start, start + atOnce);
      const answers = await engine.search(
        call,
        some.map((place) => searchOf(filters[place]!, place)),
      );
      answers.forEach(({ hits: { hits } }, index) => {
        const all = hits.map(newestOf);
        for (const one of all) if (one.at > (found[some[index]!]?.at ?? -Infinity)) found[some[index]!] = one;
        records.push(all);
      });
    }
    return records;
  };
  const after = (place: number) => since(found[place]!.at);
  const all = [...filters.keys()];
  await look(all, (filter) => search(filter, 1, { us: 'desc' }), filters.length);
  const ahead = all.filter((place) => found[place]?.isAhead === true);
  const last = await look(ahead, (filter, place) => search([...filter, after(place)], lastStored, { seq: 'desc' }));
  const open = ahead.filter(
    (_place, index) => last[index]!.length === lastStored && !last[index]!.some((one) => one.isAhead),
  );
  await look(open, (filter, place) => search([...filter, after(place)], mostRead, { us: 'desc' }), 1);
  return all.map((place) => found[place]);
};

/** Builds a condition on the time of measurement, from a time in Unix seconds on. */
const since = (seconds: number): Part => ({ range: { us: { gte: Math.floor(seconds * 1e6) } } });

const search = (filter: readonly Part[], size: number, order: Part): Part => ({
  size,
  track_total_hits: false,
  _source: false,
  docvalue_fields: ['us'],
  query: { bool: { filter } },
  sort: [order],
});

const newestOf = ({ _id: id, fields }: EngineHit): Newest => {
  const ts = Number(fields!['us']![0]) / 1e6;
  const at = orderTime(ts, timeOf(id));
  return { id, at, isAhead: at < ts };
};
