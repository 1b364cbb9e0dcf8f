import { describe, expect, it } from '@jest/globals';
import { ask, faultOf, ids, named, part, useConnections, walk } from './connected.js';

useConnections();

/** One connection for each kind of list. */
const kinds = named.filter(
  ({ make, above }, nth) => above?.includes('$hook') !== true && named.findIndex((each) => each.make === make) === nth,
);

describe.each(kinds)('order of $name', (connected) => {
  it('returns the same order and count as the page field, for every sort', async () => {
    const { message } = (await faultOf(connected, { sort: 'nothing' })) as { message: string };
    const names = message
      .replace(/.*there are /, '')
      .replace('.', '')
      .split(', ');
    const orders = [null, ...names, ...names.map((name) => `-${name}`)];
    const compared = orders.map(async (sort) => {
      const asked = ask(connected, connected.page, 'limit: 100, sort: $sort', 'totalCount items { id }', { sort });
      const [{ list }, walked] = await Promise.all([asked, walk(connected, { sort, first: 5 })]);
      const items = list.items as { id: string }[];
      expect([sort, walked]).toEqual([sort, items.map(({ id }) => id)]);
      return list.totalCount as number;
    });
    const [total] = await Promise.all(compared);
    expect((await part(connected, {})).totalCount).toBe(total);
  });

  it('returns VALIDATION_FAILED for a forged cursor', async () => {
    const { pageInfo } = await part(connected, {});
    const keys = JSON.parse(Buffer.from(pageInfo.endCursor!, 'base64url').toString()) as string[];
    const [kind, parent, ...values] = keys;
    const forged = [
      [kind, parent, ...values.slice(0, -1), 'x'],
      [kind, parent, ...values.slice(0, -1), null],
      [kind, parent, ...values.map(() => '\0')],
      [kind, parent, ...values.map((value, nth) => (nth === values.length - 1 ? value : 'x'))],
      [kind, ids.device, ...values],
      ['elsewhere', parent, ...values],
      [...keys, 'more'],
      {},
    ].map((each) => JSON.stringify(each));
    const texts = forged
      .filter((text) => text !== JSON.stringify(keys))
      .map((text) => Buffer.from(text).toString('base64url'));
    for (const after of ['', 'x', 'x'.repeat(40_000), ...texts]) {
      expect([after.slice(0, 99), await faultOf(connected, { after })]).toMatchObject([
        after.slice(0, 99),
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] } },
      ]);
    }
  });
});
