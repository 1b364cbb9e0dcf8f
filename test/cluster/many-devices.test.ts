import { describe, expect, it } from '@jest/globals';
import { devicesIn } from '../../src/records/opensearch/search/device-question.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld({});

/** Enough that they are named by their numbers. */
const count = 110;
/** By the order in which they were made: two long runs, a hole, and some alone. */
const isLinked = (n: number) => n < 40 || (n >= 45 && n < 80) || (n >= 80 && n % 3 === 0);

describe('the devices that a search is about', () => {
  it('are named by the ends of runs where they were made one after another', () => {
    const all = Array.from({ length: 60_000 }, (_, index) => 1000 + index);
    expect(JSON.stringify(devicesIn(all)).length).toBeLessThan(100);
    const every = all.filter((number) => number % 1000 !== 0);
    expect(JSON.stringify(devicesIn(every)).length).toBeLessThan(5000);
    const even = all.filter((number) => number % 2 === 0);
    expect(devicesIn(even)).toEqual({ terms: { dn: even } });
    expect(devicesIn([])).toEqual({ match_none: {} });
  });

  it('are those of its application, none of the runs between them, and as a condition leaves them', async () => {
    const organization: AccountActor = await world.organization();
    const { id } = organization;
    const application = `/applications/${id}/${await organization.make(`/organizations/${id}/applications`, { name: 'a' })}`;
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      ids.push(await organization.make(`/organizations/${id}/devices/${n}`, { name: n < 70 ? 'low' : 'high' }));
      if (isLinked(n)) await organization.put(`${application}/devices/${ids[n]}`);
    }
    const items = ids.map((_, n) => ({ serial: `${n}`, data: { n } }));
    expect((await organization.post(`/organizations/${id}/records`, items)).status).toBe(200);
    const found = async (query: object, aggs: object = {}) => {
      const { body } = await organization.post<Answer>(`${application}/search`, {
        ts: { gte: 0, lte: 4e9 },
        queries: [{ products: [], size: 200, query, aggs }],
      });
      const [answer] = body.responses;
      return {
        hits: answer!.hits.hits.map(({ _source }) => _source.data.n).sort((one, other) => one - other),
        all: answer!.aggregations?.all?.doc_count,
      };
    };
    const linked = Array.from({ length: count }, (_, n) => n).filter(isLinked);
    expect(linked.length).toBeGreaterThan(64);
    expect((await found({ match_all: {} })).hits).toEqual(linked);
    const low = linked.filter((n) => n < 70);
    const many = { terms: { 'device.id': ids.slice(0, 70) } };
    const name = { term: { 'device.name': 'low' } };
    for (const query of [many, name])
      expect(await found(query, { all: { global: {} } })).toEqual({ hits: low, all: linked.length });
  });
});

interface Answer {
  responses: {
    hits: { hits: { _source: { data: { n: number } } }[] };
    aggregations?: { all?: { doc_count: number } };
  }[];
}
