import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { type Row, report } from './figures.js';
import { openStage, type Stage } from './stage.js';

/** A form of storing values beside their JSON: its columns, how they are derived, and how two variables are read. */
interface Form {
  name: string;
  columns: string;
  made: string;
  temperature: string;
  pressure: string;
}

const forms: readonly Form[] = [
  {
    name: 'JSON alone',
    columns: '',
    made: '',
    temperature: `(data ->> 'temperature')::float8`,
    pressure: `(data ->> 'pressure')::float8`,
  },
  {
    name: 'float8[] slots',
    columns: ', numbers float8[], texts text[]',
    made: `, array[(data ->> 'temperature')::float8, (data ->> 'humidity')::float8, (data ->> 'pressure')::float8, (data ->> 'open')::bool::int],
      array[data ->> 'status']`,
    temperature: 'numbers[1]',
    pressure: 'numbers[3]',
  },
  {
    name: 'a column each',
    columns: ', temperature float8, humidity float8, pressure float8, open float8, status text',
    made: `, (data ->> 'temperature')::float8, (data ->> 'humidity')::float8, (data ->> 'pressure')::float8, (data ->> 'open')::bool::int,
      data ->> 'status'`,
    temperature: 'temperature',
    pressure: 'pressure',
  },
];

/**
 * Compares forms of typed values in a wide row, on the same rows: speed of COPY, size, and speed of aggregation.
 * `--rows N` (500,000), `--rounds N` (5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rows: { type: 'string', default: '500000' }, rounds: { type: 'string', default: '5' } },
  });
  const rows = Number(values.rows);
  const stage = await openStage();
  try {
    const { pool } = stage;
    const sizes: number[] = [];
    for (const [index, form] of forms.entries())
      sizes.push(await fill(pool, form, { file: fileOf(stage, index), rows }));
    const taken = tableOf(forms);
    const averaged = tableOf(forms);
    const grouped = tableOf(forms);
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [index, form] of forms.entries()) {
        await pool.query('drop table form');
        await pool.query(tableText(form));
        const copy = await seconds(() => pool.query(`copy form from '${fileOf(stage, index)}'`));
        await pool.query('vacuum analyze form');
        taken[index]!.figures.push(rows / copy);
        averaged[index]!.figures.push(rows / (await seconds(() => pool.query(averageText(form)))));
        grouped[index]!.figures.push(rows / (await seconds(() => pool.query(groupText(form)))));
      }
      stdout.write('.');
    }
    report('Taken in by COPY', 'rows/s', taken);
    report('Average by hour', 'rows/s', averaged);
    report('Five metrics of two variables by device', 'rows/s', grouped);
    stdout.write(
      `\nBytes a row: ${forms.map(({ name }, index) => `${name} ${Math.round(sizes[index]! / rows)}`).join(', ')}\n`,
    );
  } finally {
    await stage.close();
  }
}

/** Creates the rows of a report in which every form is compared with the first. */
const tableOf = ([first, ...others]: readonly Form[]): Row[] => {
  const against: Row = { name: first!.name, figures: [] };
  return [against, ...others.map(({ name }): Row => ({ name, figures: [], against }))];
};

const fileOf = ({ folder }: Stage, index: number): string => `${folder}/form${index}`;

const tableText = ({ columns }: Form): string =>
  `create table form (id uuid, organization_id uuid, device_id uuid, ts timestamptz, metadata jsonb, data jsonb${columns});
   create index on form (device_id, ts)`;

const averageText = ({ temperature }: Form): string =>
  `select date_bin('1 hour', ts, '2000-01-01'), avg(${temperature}) from form group by 1`;

const groupText = ({ temperature, pressure }: Form): string =>
  `select device_id, avg(${temperature}), min(${temperature}), max(${temperature}), sum(${temperature} * ${temperature}), avg(${pressure})
   from form group by 1`;

/** Creates the rows of a form and copies them to a file. Returns the size of the table in bytes. */
const fill = async (pool: pg.Pool, form: Form, { file, rows }: { file: string; rows: number }): Promise<number> => {
  await pool.query('drop table if exists form');
  await pool.query(tableText(form));
  await pool.query(
    `insert into form select gen_random_uuid(), '01900000-0000-7000-8000-000000000000', ('01900000-0000-7000-8000-' || lpad((i % 200)::text, 12, '0'))::uuid,
       timestamptz '2026-01-01' + i * interval '90 days' / $1::float8, '{"rssi": -90, "snr": 7.5, "provider": "lora"}', data${form.made}
     from generate_series(1, $1::int) i, lateral (select jsonb_build_object('temperature', 15 + i % 170 / 10.0, 'humidity', 40 + i % 50,
       'pressure', 1000 + i % 300 / 10.0, 'open', i % 2 = 0, 'status', case when i % 7 = 0 then 'error' else 'ok' end) as data) made`,
    [rows],
  );
  await pool.query(`copy form to '${file}'`);
  const { rows: sizes } = await pool.query<{ size: number }>(`select pg_table_size('form')::float8 as size`);
  return sizes[0]!.size;
};

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
};
