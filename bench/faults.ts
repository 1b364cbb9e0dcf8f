import { stdout } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './figures.js';
import { callAs, type FileImport, serialOf } from './import.js';
import { type Spent, spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';

/** Lines of one kind, which all have the same fault, or none. */
interface Lines {
  kind: 'devices' | 'records';
  type: 'text/csv' | 'application/x-ndjson';
  header?: string;
  good: (index: number) => string;
  faulty: Readonly<Record<string, (index: number) => string>>;
}

const devices = 1000;
const at = (index: number) => ({
  serial: serialOf(index % devices),
  ts: 1_714_568_400 + 60 * Math.floor(index / devices),
});
const values = (index: number) => ({ temperature: 15 + ((index * 7919) % 1709) / 100, humidity: 40 + (index % 50) });
const record = (index: number, other: object = {}) =>
  JSON.stringify({ ...at(index), data: values(index), metadata: { rssi: -90 }, ...other });
const row = (index: number, other: Readonly<Record<string, unknown>> = {}) =>
  Object.values({ ...at(index), ...values(index), rssi: -90, ...other }).join(',');
const device = (index: number, other: Readonly<Record<string, unknown>> = {}) =>
  Object.values({
    serial: serialOf(index),
    name: `Pump ${index}`,
    tags: 'north;well',
    lat: 59.8586,
    lon: 17.6389,
    product: '',
    application: '',
    ...other,
  }).join(',');

const files: Readonly<Record<string, Lines>> = {
  'records as NDJSON': {
    kind: 'records',
    type: 'application/x-ndjson',
    good: record,
    faulty: {
      'cut off': (index) => record(index).slice(0, -1),
      'broken in the middle': (index) => record(index).replace('"data"', 'data'),
      'text after the value': (index) => `${record(index)}x`,
      'an array': (index) => `[${record(index)}]`,
      'ts out of range': (index) => record(index, { ts: 1 }),
      'ts as text': (index) => record(index, { ts: 'yesterday' }),
      'no ts': (index) => record(index, { ts: undefined }),
      'unknown serial': (index) => record(index, { serial: `c0-${index}` }),
      'no serial': (index) => record(index, { serial: undefined }),
      'data of another type': (index) => record(index, { data: 21.5 }),
      'unknown field': (index) => record(index, { colour: 'red' }),
      'not an identifier': (index) => record(index, { serial: undefined, deviceId: 'x' }),
      'payload not hex': (index) => record(index, { frame: { streamId: 1, streamType: 'BIN', payload: 'xyz' } }),
      'nested too deep': (index) => record(index, { data: JSON.parse('['.repeat(40) + ']'.repeat(40)) as object }),
      'number too long': (index) => record(index).replace('-90', '9'.repeat(401)),
      'export with a wrong ts': (index) =>
        record(index, { serial: undefined, device: { serial: 'x' }, ts: 'yesterday' }),
    },
  },
  'records as CSV': {
    kind: 'records',
    type: 'text/csv',
    header: 'serial,ts,temperature,humidity,metadata.rssi',
    good: row,
    faulty: {
      'ts out of range': (index) => row(index, { ts: 1 }),
      'ts is no time': (index) => row(index, { ts: 'yesterday' }),
      'ts without zone': (index) => row(index, { ts: '2024-05-01 12:00:00' }),
      'unknown serial': (index) => row(index, { serial: `c0-${index}` }),
      'no serial': (index) => row(index, { serial: '' }),
      'decimal comma': (index) => row(index, { temperature: '"21,5"' }),
      'a cell too many': (index) => `${row(index)},`,
    },
  },
  'devices as CSV': {
    kind: 'devices',
    type: 'text/csv',
    header: 'serial,name,tags,lat,lon,product,application',
    good: device,
    faulty: {
      'wrong serial': (index) => device(index, { serial: `x-${index}` }),
      'wrong latitude': (index) => device(index, { lat: 'north' }),
      'latitude out of range': (index) => device(index, { lat: 159 }),
      'unknown product': (index) => device(index, { product: 'Nothing' }),
      'unknown application': (index) => device(index, { application: 'Nothing' }),
      'a serial twice': (index) => device(index, { serial: serialOf(0) }),
    },
  },
};

/**
 * Measures dry runs of files whose lines all have the same fault, each with a file without faults just before or after it: the
 * processor time of a line as a multiple of that of a good one. `--lines N` (20,000), `--only TEXT` (a part of the
 * names of files and faults).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values: options } = parseArgs({
    args: [...args],
    options: { lines: { type: 'string', default: '20000' }, only: { type: 'string', default: '' } },
  });
  const stage = await openStage();
  try {
    const fleet = Array.from({ length: devices }, (_, index) => `${serialOf(index)},Pump`);
    await take(stage, 'devices?dryRun=false', ['serial,name', ...fleet].join('\n'), 'text/csv');
    for (const [title, lines] of Object.entries(files))
      for (const name of Object.keys(lines.faulty))
        if (`${title}: ${name}`.includes(options.only))
          stdout.write(`  ${title}, ${name}: ${await compare(stage, lines, name, Number(options.lines))}\n`);
  } finally {
    await stage.close();
  }
}

type Taken = Spent & { rejected: number };

/** Imports a file. Returns the processor time that it took, and the number of rejected lines. */
const take = async (stage: Stage, path: string, file: string, type: string): Promise<Taken> => {
  const call = callAs(stage, stage.token);
  const imports = `/organizations/${stage.organizationId}/imports`;
  const before = await spentBy(stage);
  let found = await call<FileImport & { rejected: number }>(`${imports}/${path}`, file, type);
  while (found.state === 'checking' || found.state === 'applying') {
    await delay(50);
    found = await call(`${imports}/${found.id}`);
  }
  const after = await spentBy(stage);
  const headers = { authorization: `Bearer ${stage.token}` };
  await fetch(`${stage.base}${imports}/${found.id}`, { method: 'DELETE', headers });
  return {
    service: after.service - before.service,
    database: after.database - before.database,
    rejected: found.rejected,
  };
};

const compare = async (
  stage: Stage,
  { kind, type, header, good, faulty }: Lines,
  name: string,
  count: number,
): Promise<string> => {
  const check = (line: (index: number) => string) => {
    const lines = Array.from({ length: count }, (_, index) => line(index));
    return take(stage, kind, [...(header === undefined ? [] : [header]), ...lines].join('\n'), type);
  };
  const ours: { good: Taken[]; bad: Taken[] } = { good: [], bad: [] };
  await check(good);
  for (let turn = 0; turn < 5; turn++) {
    ours.good.push(await check(good));
    ours.bad.push(await check(faulty[name]!));
  }
  if (ours.bad.some(({ rejected }) => rejected < count - 1)) throw new Error(`Lines of "${name}" were not rejected.`);
  const middle = (of: readonly Taken[], part: keyof Spent) => median(of.map((each) => each[part]));
  const ratio = (part: keyof Spent) => (middle(ours.bad, part) / middle(ours.good, part)).toFixed(2);
  const each = (part: keyof Spent) => (middle(ours.bad, part) / count).toFixed(1);
  return `service ${ratio('service')}, database ${ratio('database')} (${each('service')} and ${each('database')} us a line)`;
};
