import { describe, expect, it } from '@jest/globals';
import { devicesIn } from '#records/opensearch/search/device-question.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld({});

/** Number of devices. With this many, a search names devices by their numbers. */
const count = 110;
/** In order of creation: two long runs, a gap, and single devices. */
const isLinked = (n: number) => n < 40 || (n >= 45 && n < 80) || (n >= 80 && n % 3 === 0);

describe('device condition of a search on a cluster', () => {
  it('names runs of devices by their ends', () => {
    const all = Array.from({ length: 60_000 }, (_, index) => 1000 + index);
    expect(JSON.stringify(devicesIn(all)).length).toBeLessThan(100);
    const every = all.filter((number) => number % 1000 !== 0);
    expect(JSON.stringify(devicesIn(every)).length).toBeLessThan(5000);
    const even = all.filter((number) => number % 2 === 0);
    expect(devicesIn(even)).toEqual({ terms: { dn: even } });
    expect(devicesIn([])).toEqual({ match_none: {} });
  });

  it("covers only the application's devices, within the search's own condition", async () => {
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
