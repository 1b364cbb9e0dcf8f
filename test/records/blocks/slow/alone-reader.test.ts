import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds, minuteMs } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import { countOrganization } from '#records/postgres/log/scan.js';
import { makeBlocks } from '../../../search/blocks.js';
import { type AccountActor, useWorld } from '../../../support/world.js';
import { type Question, questionsOf } from './alone-question.js';

let skew = 0;
const world = useWorld({ clock: () => Date.now() + skew, config: { recordBlocks: 'on' } });

const today = Math.floor(Date.now() / 1000 / daySeconds) * daySeconds;
/** Start of a day before today. */
const ago = (days: number) => today - days * daySeconds;

let organization: AccountActor;
let other: AccountActor;
let applicationId: string;
const devices: Record<string, string> = {};

interface Sent {
  serial: string;
  ts: number;
  data: object;
  metadata: object;
}

const gateways = [{ rssi: -60, snr: 7.25 }, { rssi: -61 }, { snr: 1.5, id: 'x' }];

/** Records of one device, the more of them the more often. Each seventh has other fields. */
const sent = (serial: string, from: number, count: number, step: number, more: object = {}): Sent[] =>
  Array.from({ length: count }, (_, index) => ({
    serial,
    ts: from + index * step,
    data:
      index % 7 === 6
        ? {
            label: `l${Math.floor(index / 50) % 3}`,
            other: { x: [index, 'a'] },
            free: index % 2 === 0 ? 'open' : index / 4,
            ...more,
          }
        : {
            t: index / 10,
            on: Math.floor(index / 20) % 2 === 0,
            n: `${900_719_925_474_099n + BigInt(index)}`,
            level: index % 9,
            ...more,
          },
    metadata: { rssi: -60 - (index % 20), gateways: gateways.slice(0, index % 4) },
  }));

const store = async (records: readonly Sent[]) => {
  for (let from = 0; from < records.length; from += 5000) {
    const some = records.slice(from, from + 5000);
    const { body } = await organization.post<{ accepted: number }>(`/organizations/${organization.id}/records`, some);
    if (body.accepted !== some.length) throw new Error(JSON.stringify(body).slice(0, 500));
  }
};

/** Deletes the rows of days in blocks, except those that came after the blocks were made. */
const freeze = async (): Promise<number> => {
  const { rowCount } = await world.pool.query(sql`
    with alone as (update record_blocked set alone = true returning source, day)
    delete from record r using alone a join record_block_source s using (source)
    where r.organization_id = s.organization_id and r.product_id is not distinct from s.product_id
      and r.ts >= a.day::timestamp at time zone 'UTC' and r.ts < (a.day + 1)::timestamp at time zone 'UTC'
      and not (r.data ? 'late')`);
  return rowCount!;
};

beforeAll(async () => {
  organization = await world.organization();
  other = await world.organization();
  const at = `/organizations/${organization.id}`;
  const variables = [
    { name: 't', type: VariableType.FLOAT32 },
    { name: 'on', type: VariableType.BOOL },
    { name: 'label', type: VariableType.TXT },
    { name: 'n', type: VariableType.INT64 },
    { name: 'never', type: VariableType.FLOAT32 },
  ];
  const probe = await organization.make(`${at}/products`, { name: 'Probe', version: '1', variables });
  const meter = await organization.make(`${at}/products`, {
    name: 'Meter',
    version: '1',
    variables: [variables[1], variables[0], variables[2]],
  });
  applicationId = await organization.make(`${at}/applications`, { name: 'Field' });
  for (const serial of ['a1-01', 'a1-02', 'a1-03', 'a1-04', 'a1-05']) {
    devices[serial] = await organization.make(
      `${at}/devices/${serial}`,
      serial === 'a1-03' ? {} : { product: { id: probe } },
    );
    await organization.put(`/applications/${organization.id}/${applicationId}/devices/${devices[serial]}`);
  }
  // More than a block.
  await store(sent('a1-01', ago(4) + 5, 5000, 17));
  await store([...sent('a1-01', ago(3), 300, 120), ...sent('a1-01', ago(2), 50, 600, { n: [1, 2] })]);
  await store([...sent('a1-02', ago(4), 200, 400), ...sent('a1-02', ago(3), 100, 400, { rare: 'x', t: [1.5, 2.25] })]);
  await store([...sent('a1-03', ago(4) + 0.5, 100, 777.001), ...sent('a1-03', ago(2), 90, 60)]);
  await store(sent('a1-04', ago(4) + 100, 10, 3600));
  await store([...sent('a1-05', ago(3), 24, 3600, { rare: 7 }), ...sent('a1-05', today - 1800, 30, 30)]);
  await organization.put(`/devices/${organization.id}/${devices['a1-02']}`, { product: { id: meter } });
  await store([...sent('a1-02', ago(3) + 200, 100, 400), ...sent('a1-02', ago(2), 100, 400)]);
  await makeBlocks(world.pool);
  await store([
    ...sent('a1-01', ago(4) + 7, 20, 1700, { late: true }),
    ...sent('a1-02', ago(3) + 7, 20, 1700, { late: 1 }),
    ...sent('a1-04', ago(4) + 200, 3, 3600, { late: 'x' }),
  ]);
}, 120_000);

/** Runs work while nobody makes rollups and blocks. */
const withoutUpkeep = async (work: () => Promise<void>) => {
  const upkeep = await world.pool.connect();
  await upkeep.query(`begin;
    select pg_advisory_xact_lock(hashtextextended(which, 0)) from unnest('{record rollups,record blocks}'::text[]) which`);
  try {
    await work();
  } finally {
    await upkeep.query('rollback');
    upkeep.release();
  }
};

describe('day in blocks alone', () => {
  it('gives the same answers as rows', async () => {
    // Records that have just arrived are rows, and so are those of a day that has been over for less than two hours.
    skew = Math.max(minuteMs, (today + 3 * hourSeconds) * 1000 - Date.now());
    const { rows } = await world.pool.query<{ id: string }>(sql`
      select id from record where organization_id = ${organization.id} order by md5(seq::text) limit 30`);
    const questions = questionsOf({
      organization,
      other,
      applicationId,
      devices,
      ago,
      ids: rows.map(({ id }) => id),
    });
    const ask = async () => {
      const answers = new Map<string, unknown>();
      for (const [name, question] of Object.entries<Question>(questions)) answers.set(name, await question());
      // Late records made some hours stale, which are counted record by record.
      answers.set('number of records', await countOrganization(world.pool, organization.id));
      return answers;
    };
    await withoutUpkeep(async () => {
      const before = await ask();
      expect(await freeze()).toBeGreaterThan(5900);
      const after = await ask();
      for (const [name, answer] of before) expect([name, after.get(name)]).toEqual([name, answer]);
    });
  }, 300_000);
});
