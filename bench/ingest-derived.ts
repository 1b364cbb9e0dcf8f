import { stdout } from 'node:process';
import { type Row, report } from './figures.js';
import { furnish } from './fleet.js';
import { type Spent, spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';

const devices = 200;
const batchSize = 1000;
const batches = 100;

/** Clients, each with devices of its own, so that the records of a device come in order of time. */
const clients = 4;

const variables = ['temperature', 'humidity', 'pressure', 'voltage', 'energy'];

const number = (name: string, formula: string) => ({ name, type: 'FLOAT32', formula });

const plain = [
  number('fahrenheit', 'temperature * 1.8 + 32'),
  number('dew', 'temperature - (100 - humidity) / 5'),
  number('level', 'pressure / 1000 - 1'),
  number('power', 'voltage * voltage / 50'),
  number('kwh', 'energy / 1000'),
];

/** Settings of the products to compare with a product without any. */
const settings: Readonly<Record<'counters' | 'derived', Readonly<Record<string, object>>>> = {
  counters: { 'five counters': { variables: variables.map((name) => ({ name, counter: {} })) } },
  derived: {
    'five formulas': { derived: plain },
    'four formulas and one of `previous`': {
      derived: [...plain.slice(0, 4), number('used', 'energy - previous(energy)')],
    },
  },
};

interface Fleet {
  serials: string[];
  row: Row;
  spent: Spent;
}

/** Compares ingestion into products with derived variables or counters with that into one without, alternately. */
export const compareDerived = async (
  rounds: number,
  { derived, counters }: { derived: boolean; counters: boolean },
): Promise<void> => {
  const stage = await openStage();
  try {
    const cases = { ...(counters && settings.counters), ...(derived && settings.derived) };
    const fleets = await openFleets(stage, cases);
    // A new process runs code that is not yet compiled.
    for (const { serials } of fleets) await send(stage, serials, batches / 4);
    for (let round = 0; round < rounds; round++) {
      for (const fleet of fleets) {
        const before = await spentBy(stage);
        fleet.row.figures.push(await send(stage, fleet.serials, batches));
        const after = await spentBy(stage);
        fleet.spent.service += (after.service - before.service) / (rounds * batches * batchSize);
        fleet.spent.database += (after.database - before.database) / (rounds * batches * batchSize);
      }
      fleets.push(fleets.shift()!);
      stdout.write('.');
    }
    report(
      'Batches',
      'records/s',
      fleets.map(({ row }) => row),
    );
    for (const { row, spent } of fleets)
      stdout.write(
        `Processor time of a record, ${row.name}: service ${spent.service.toFixed(1)} us, PostgreSQL ${spent.database.toFixed(1)} us\n`,
      );
  } finally {
    await stage.close();
  }
};

const openFleets = async (stage: Stage, cases: Readonly<Record<string, object>>): Promise<Fleet[]> => {
  const sent = variables.map((name) => ({ name, type: 'FLOAT32' }));
  const names = [undefined, ...Object.keys(cases)];
  const { serials, productIds } = await furnish(stage, devices * names.length, names.length, sent);
  const base: Row = { name: 'POST of 1000, no settings', figures: [] };
  const fleets: Fleet[] = [];
  for (const [index, name] of names.entries()) {
    if (name !== undefined) await put(stage, productIds[index]!, cases[name]!);
    fleets.push({
      serials: serials.filter((_, at) => at % names.length === index),
      row: name === undefined ? base : { name, figures: [], against: base },
      spent: { service: 0, database: 0 },
    });
  }
  return fleets;
};

const put = async (stage: Stage, productId: string, given: object): Promise<void> => {
  const query = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
    putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`;
  const response = await fetch(new URL('/graphql', stage.base), {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { o: stage.organizationId, p: productId, s: given } }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(text.slice(0, 500));
};

/** Number of records so far. Each is a millisecond later than the one before. */
let made = 0;
const begun = Date.now() - 6 * 3_600_000;

const itemOf = (serial: string): object => {
  const index = made++;
  return {
    serial,
    ts: (begun + index) / 1000,
    key: `${index}`,
    metadata: { rssi: -60 - (index % 50), snr: (index % 20) / 2, provider: 'lora' },
    data: {
      temperature: 15 + (index % 170) / 10,
      humidity: 40 + (index % 50),
      pressure: 1000 + (index % 300) / 10,
      voltage: 220 + (index % 70) / 10,
      energy: index,
    },
  };
};

/** Posts batches. Returns records per second. */
const send = async (stage: Stage, serials: readonly string[], count: number): Promise<number> => {
  const queues = Array.from({ length: clients }, (_, client) => {
    const own = serials.filter((_serial, index) => index % clients === client);
    return Array.from({ length: count / clients }, () =>
      JSON.stringify(Array.from({ length: batchSize }, (_item, index) => itemOf(own[index % own.length]!))),
    );
  });
  await stage.pool.query('checkpoint');
  const start = performance.now();
  await Promise.all(
    queues.map(async (bodies) => {
      for (const body of bodies) await post(stage, body);
    }),
  );
  return (batchSize * count) / ((performance.now() - start) / 1000);
};

const post = async ({ base, organizationId, token }: Stage, body: string): Promise<void> => {
  const response = await fetch(`${base}/organizations/${organizationId}/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (!response.ok || !text.includes(`"accepted":${batchSize}`)) throw new Error(text.slice(0, 500));
};
