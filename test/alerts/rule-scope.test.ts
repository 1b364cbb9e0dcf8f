import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { applies } from '#alerts/rule.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

/** Uses few values, so that products and tags often match; some differ only in case or an accent. */
const products = ['01a20000-0000-7000-8000-000000000001', '01a20000-0000-7000-8000-000000000002'];
const tags = fc.uniqueArray(fc.constantFrom('cold', 'Cold', 'côld', ' cold', 'a,b', '{}', 'NULL', '"'));
const pairs = fc.record({
  rule: fc.record({ products: fc.uniqueArray(fc.constantFrom(...products)), tags }),
  device: fc.record({ productId: fc.constantFrom(null, ...products), tags }),
});

it('selects the same devices for an alert rule in its TypeScript and its SQL version', async () => {
  const seed = Date.now() % 2 ** 31;
  const sampled = fc.sample(pairs, { numRuns: 2000, seed });
  const { rows } = await world.pool.query<{ applies: boolean }>(sql`
    select alert_applies(
             array(select jsonb_array_elements_text(p -> 'rule' -> 'products')),
             array(select jsonb_array_elements_text(p -> 'rule' -> 'tags')),
             (p -> 'device' ->> 'productId')::uuid,
             array(select jsonb_array_elements_text(p -> 'device' -> 'tags'))) applies
      from jsonb_array_elements(${JSON.stringify(sampled)}::jsonb) with ordinality e (p, place) order by place`);
  const sites: string[] = [];
  const differing = sampled.filter(
    ({ rule, device }, index) => applies({ ...rule, sites }, { ...device, sites }) !== rows[index]!.applies,
  );
  expect({ seed, count: rows.length, differing }).toEqual({ seed, count: sampled.length, differing: [] });
});
