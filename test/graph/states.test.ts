import { describe, expect, it } from '@jest/globals';
import { hourSeconds } from '#common/time.js';
import { type AccountActor, useWorld } from '../support/world.js';

/** The start of a day in UTC, in Unix seconds. */
const start = 1_795_305_600 - 30 * 24 * hourSeconds;

const query = `query ($o: ID!, $ids: [ID!], $v: [String!]!, $from: UnixTime, $to: UnixTime, $points: Int!) {
  devices(organizationId: $o, ids: $ids, sort: "serial") {
    items { serial states(variables: $v, from: $from, to: $to, points: $points) { name type interval ts seconds values } }
  }
}`;

interface Line {
  name: string;
  type: string | null;
  interval: number;
  ts: number[];
  seconds: number[];
  values: string[];
}

const variables = [
  { name: 'door', type: 'BOOL' },
  { name: 'mode', type: 'TXT' },
];

describe('Device.states', () => {
  const world = useWorld();

  /** Makes a device of a product that declares a door and a mode, and stores its records. */
  const furnish = async (records: readonly { at: number; data: object }[]) => {
    const owner = await world.organization();
    const organization = `/organizations/${owner.id}`;
    const product = await owner.make(`${organization}/products`, { name: 'Room', version: '1', variables });
    const id = await owner.make(`${organization}/devices/aa-01`, { product: { id: product } });
    const items = records.map(({ at, data }) => ({ serial: 'aa-01', ts: start + at, data }));
    for (let first = 0; first < items.length; first += 500)
      await owner.post(`${organization}/records`, items.slice(first, first + 500));
    return { owner, ids: [id] };
  };

  const ask = async (
    { owner, ids }: { owner: AccountActor; ids: readonly string[] },
    [from, to]: readonly [number, number],
    { points = 200, v = ['door'] } = {},
  ): Promise<Line[]> => {
    const { body } = await owner.graph(query, { o: owner.id, ids, v, from: start + from, to: start + to, points });
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
    return body.data!['devices'].items[0].states as Line[];
  };

  const secondsIn = ({ seconds, values }: Line, state: string): number =>
    seconds.reduce((sum, each, index) => sum + (values[index] === state ? each : 0), 0);

  /** Entries of a line, with times after {@link start}. */
  const entriesOf = ({ ts, seconds, values }: Line) => ts.map((at, i) => [at - start, seconds[i], values[i]]);

  it('tells the seconds of both states at every phase of a door that is open 30 of 120 minutes', async () => {
    const period = 2 * hourSeconds;
    for (const phase of [0, 300, 2700, 5400]) {
      const records = Array.from({ length: (7 * 24 * hourSeconds) / 300 }, (_, index) => ({
        at: index * 300,
        data: { door: (index * 300 + phase) % period < 1800 },
      }));
      const world = await furnish(records);
      const [line] = await ask(world, [0, 7 * 24 * hourSeconds]);
      expect(line).toMatchObject({ name: 'door', type: 'BOOL', interval: hourSeconds });
      expect(secondsIn(line!, 'true')).toBe((7 * 24 * hourSeconds) / 4);
      expect(secondsIn(line!, 'false')).toBe((7 * 24 * hourSeconds * 3) / 4);
    }
  });

  it('shows a state of one minute in a week', async () => {
    const records = Array.from({ length: (7 * 24 * hourSeconds) / 600 }, (_, index) => ({
      at: index * 600,
      data: { door: false },
    }));
    records.push(
      { at: 50 * hourSeconds + 60, data: { door: true } },
      { at: 50 * hourSeconds + 120, data: { door: false } },
    );
    const [line] = await ask(await furnish(records), [0, 7 * 24 * hourSeconds]);
    expect(entriesOf(line!)).toEqual([
      [0, 50 * hourSeconds, 'false'],
      [50 * hourSeconds, hourSeconds - 60, 'false'],
      [50 * hourSeconds, 60, 'true'],
      [51 * hourSeconds, 7 * 24 * hourSeconds - 51 * hourSeconds, 'false'],
    ]);
  });

  it('tells a change within a bucket exactly', async () => {
    const records = Array.from({ length: 145 }, (_, index) => ({
      at: index * 600,
      data: { door: index >= 70, mode: index < 20 ? 'ok' : 'service' },
    }));
    const lines = await ask(await furnish(records), [0, 24 * hourSeconds], { points: 24, v: ['mode', 'door'] });
    expect(lines.map(entriesOf)).toEqual([
      [
        [0, 20 * 600, 'ok'],
        [20 * 600, 24 * hourSeconds - 20 * 600, 'service'],
      ],
      [
        [0, 70 * 600, 'false'],
        [70 * 600, 24 * hourSeconds - 70 * 600, 'true'],
      ],
    ]);
  });

  it('ends a state 2.1 usual intervals after its last record, and leaves the rest unknown', async () => {
    const ages = Array.from({ length: 25 }, (_, index) => index * hourSeconds).filter(
      (at) => at < 6 * hourSeconds || at > 15 * hourSeconds,
    );
    const records = ages.map((at) => ({ at, data: { door: true } }));
    const [line] = await ask(await furnish(records), [0, 30 * hourSeconds], { points: 61 });
    expect(line!.interval).toBe(1800);
    expect(entriesOf(line!)).toEqual([
      [0, 5 * hourSeconds + 2.1 * hourSeconds, 'true'],
      [16 * hourSeconds, 8 * hourSeconds + 2.1 * hourSeconds, 'true'],
    ]);
  });

  it('begins with the state of the record before the range', async () => {
    const records = [
      { at: 0, data: { door: true } },
      { at: 1000, data: { door: true } },
      { at: 2000, data: { door: true } },
      { at: 3000, data: { door: false } },
    ];
    const [line] = await ask(await furnish(records), [2500, 3500]);
    expect(entriesOf(line!)).toEqual([
      [2500, 500, 'true'],
      [3000, 500, 'false'],
    ]);
  });

  it('reads undeclared values as they came, and returns an empty line without any', async () => {
    const records = [
      { at: 0, data: { lamp: true, level: 1.5, note: 'a' } },
      { at: 600, data: { lamp: 'on', level: 1.5, note: 'b' } },
    ];
    const lines = await ask(await furnish(records), [0, 1200], { v: ['lamp', 'level', 'note', 'none'] });
    expect(lines.map(({ values }) => values)).toEqual([['true', 'on'], ['1.5'], ['a', 'b'], []]);
  });

  it('returns 422 for more than 50,000 buckets', async () => {
    const { owner, ids } = await furnish([]);
    const v = Array.from({ length: 20 }, (_, index) => `v${index}`);
    const to = start + 30 * 24 * hourSeconds;
    const { body } = await owner.graph(query, { o: owner.id, ids, v, from: start, to, points: 5000 });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
  });
});
