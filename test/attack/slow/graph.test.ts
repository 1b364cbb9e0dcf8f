import { beforeAll, describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../../support/actor.js';
import { type AccountActor, useWorld } from '../../support/world.js';
import { delayDuring } from '../delay.js';
import { growthDuring } from '../memory.js';

const world = useWorld({ config: { search: { timeout: 60_000, rollups: true }, graph: { timeout: 90_000 } } });
const mebibyte = 1024 * 1024;
/** Number of bytes by which a request may grow the process. The garbage of refused requests is collected later. */
const allowed = 300 * mebibyte;

let owner: AccountActor;
let other: AccountActor;
let wide: string;
let long: string;
const keys = 1000;
const records = 450;

beforeAll(async () => {
  [owner, other] = [await world.organization(), await world.organization()];
  wide = await owner.make(`/organizations/${owner.id}/devices/ee-01`);
  long = await owner.make(`/organizations/${owner.id}/devices/ee-02`);
  await world.pool.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data)
     select gen_random_uuid(), $1, $2, now() - n * interval '1 minute', '{}', data
       from generate_series(1, $3) n,
         (select jsonb_object_agg('key number ' || k, 1000000000 + k) as data from generate_series(1, $4) k) wide`,
    [owner.id, wide, records, keys],
  );
  await world.pool.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data)
     select gen_random_uuid(), $1, $2, now() - n * interval '10 seconds', '{}', data
       from generate_series(1, 5000) n, (select jsonb_object_agg('v' || k, k) as data from generate_series(0, 9) k) long`,
    [owner.id, long],
  );
}, 180_000);

const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');

/** Sends the same operation many times in one batch, while another organization sends a query. */
const attack = async (query: string, times: number, variables: object = {}) => {
  const body = Array.from({ length: times }, () => ({ query, variables: { o: owner.id, d: wide, ...variables } }));
  const { result, bytes } = await growthDuring(async () => {
    const answering = owner.postGraph<GraphAnswer[] | GraphAnswer>(body);
    const beside = await other.graph('{ account { id } }');
    return { answer: await answering, beside };
  });
  expect(result.beside.body).toEqual({ data: { account: { id: other.id } } });
  return { answers: [result.answer.body].flat(), bytes };
};

const errorsOf = (answers: GraphAnswer[]) => answers.flatMap(({ errors = [] }) => errors);
const codesOf = (answers: GraphAnswer[]) => new Set(errorsOf(answers).map(({ extensions }) => extensions.code));
const sentenceOf = (answers: GraphAnswer[]) => errorsOf(answers)[0]?.message;

describe('GraphQL batch with thirty aliases over records of 1,000 keys', () => {
  it('returns VALIDATION_FAILED within the memory limit for latest values', async () => {
    const latest = 'latest(organizationId: $o, deviceIds: [$d]) { values { name ts value } }';
    const { answers, bytes } = await attack(`query ($o: ID!, $d: ID!) { ${aliases(29, latest)} }`, 13);
    expect([...codesOf(answers)]).toEqual(expect.arrayContaining(['VALIDATION_FAILED']));
    expect(bytes).toBeLessThan(allowed);
  }, 180_000);

  it('returns VALIDATION_FAILED within the memory limit for values of records', async () => {
    const values = 'values { name value }';
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      records(limit: 1) { items { ${aliases(29, values)} } } } }`;
    const { answers, bytes } = await attack(query, 13);
    expect(codesOf(answers)).toEqual(new Set(['VALIDATION_FAILED']));
    expect(bytes).toBeLessThan(allowed);
  }, 180_000);

  it('returns TOO_LARGE before it writes data of records that exceeds the memory limit', async () => {
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      records(limit: 300) { items { ${aliases(29, 'data')} } } } }`;
    const { answers, bytes } = await attack(query, 13);
    expect(codesOf(answers)).toEqual(new Set(['TOO_LARGE']));
    expect(sentenceOf(answers)).toMatch(/^This answer has 64(\.\d)? MiB; at most 64 MiB may be held\.$/);
    expect(bytes).toBeLessThan(allowed);
  }, 180_000);
});

describe('cost limits of a GraphQL request', () => {
  it('charges the length of lists without a limit argument', async () => {
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      records(limit: 30) { items { values { name value } } } } }`;
    const variables = { o: owner.id, d: wide };
    const { body } = await owner.graph(query, variables);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'cost' }] } }] });
    expect(body.data?.['device']).toBeUndefined();
    expect(body.errors![0]!.message).toMatch(
      /^This request may return [\d,]+ objects; at most 25,000 are allowed\. `device\.records\.items\.values` costs most: with `limit: 24` on `device\.records` it would pass\.$/,
    );
    const fewer = await owner.graph(query.replace('limit: 30', 'limit: 24'), variables);
    expect(fewer.body.errors).toBeUndefined();
    expect(fewer.body.data!['device'].records.items[0].values).toHaveLength(keys);
  });

  it('charges one object for ten points of a series', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `"v${index}"`).join();
    const series = `series(organizationId: $o, deviceIds: [$d], variables: [${names}], points: 5000, function: lttb) { ts values }`;
    const ask = (count: number) =>
      owner.graph(`query ($o: ID!, $d: ID!) { ${aliases(count, series)} }`, { o: owner.id, d: long });
    const { body } = await ask(4);
    expect(body.errors).toBeUndefined();
    expect(body.data!['a0'][9].ts).toHaveLength(5000);
    expect((await ask(6)).body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'cost' }] } }],
    });
  }, 180_000);

  it('returns an error beyond 32 MiB of rows', async () => {
    const page = 'records(limit: 300) { items { data } }';
    const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      ${page} a: records(limit: 301) { items { data } } b: records(limit: 302) { items { data } }
      c: records(limit: 303) { items { data } } d: records(limit: 304) { items { data } } } }`;
    const { body } = await owner.graph(query, { o: owner.id, d: wide });
    expect(body.errors).toContainEqual(
      expect.objectContaining({
        message: expect.stringMatching(
          /^The rows that this request reads have 32(\.\d)? MiB; at most 32 MiB may be held\.$/,
        ),
      }),
    );
  }, 180_000);
});

describe('twenty GraphQL documents of 29 aliases and 1,900 selections, sent twice', () => {
  it('blocks the event loop for less than 1.5 s while they are compiled', async () => {
    const device = `id serial name slug tags createdAt updatedAt applicationCount location { lat lon }
      product { id name version slug createdAt updatedAt deviceCount public }
      applications(limit: 1) { totalCount items { id name slug description createdAt updatedAt } }
      records(limit: 1) { totalCount items { id ts data metadata frame deviceId productId device { id name serial slug tags createdAt updatedAt }
        product { id name version slug createdAt updatedAt deviceCount public } } }`;
    const documentOf = (index: number) => `query Q${index}($o: ID!) {
      ${aliases(29, 'devices(organizationId: $o, limit: 1) { items { ...D } }')} } fragment D on Device { ${device} }`;
    const { result, longest } = await delayDuring(async () => {
      const answers = [];
      for (const _time of [1, 2]) {
        const asked = Array.from({ length: 20 }, (_, index) => owner.graph(documentOf(index), { o: owner.id }));
        answers.push(...(await Promise.all(asked)));
      }
      return answers;
    });
    expect(result.map(({ body }) => body.errors ?? body.data!['a28'].items.length)).toEqual(Array(40).fill(1));
    expect(longest).toBeLessThan(1500);
  }, 120_000);
});
