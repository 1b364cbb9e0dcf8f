import { describe, expect, it } from '@jest/globals';
import { createFairResolve, lookingUpFor } from '#calls/resolver.js';

describe('DNS lookups of hooks', () => {
  /** Creates a name resolver that answers on demand, with its clock. */
  const stage = () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const time = { now: 0 };
    const resolve = createFairResolve(
      (hostname) => {
        asked.push(hostname);
        return new Promise((done) => answers.set(hostname, () => done(['192.0.2.1'])));
      },
      () => time.now,
      8,
    );
    return { asked, answer: (hostname: string) => answers.get(hostname)!(), time, resolve };
  };

  it('limits names that were slow before, so that other names are looked up at once', async () => {
    const { asked, answer, time, resolve } = stage();
    const slow = ['one.example', 'two.example', 'three.example'];
    const first = slow.map(resolve);
    await Promise.resolve();
    time.now = 1000;
    for (const name of slow) answer(name);
    await Promise.all(first);

    asked.length = 0;
    for (const name of slow) void resolve(name);
    const quick = ['four.example', 'five.example', 'six.example'].map(resolve);
    await Promise.resolve();
    expect(asked).toEqual(['one.example', 'four.example', 'five.example', 'six.example']);
    for (const name of asked.slice(1)) answer(name);
    await expect(Promise.all(quick)).resolves.toHaveLength(3);
  });

  it('looks up a name once for several waiting calls', async () => {
    const { asked, answer, resolve } = stage();
    const calls = [resolve('one.example'), resolve('one.example')];
    await Promise.resolve();
    expect(asked).toEqual(['one.example']);
    answer('one.example');
    await expect(Promise.all(calls)).resolves.toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('leaves free slots to other organizations when one asks for many names', async () => {
    const { asked, resolve } = stage();
    const ask = (organization: string, name: string) => void lookingUpFor(organization, () => resolve(name));
    for (let number = 0; number < 10; number++) ask('one', `one-${number}.example`);
    expect(asked).toHaveLength(4);
    for (let number = 0; number < 10; number++) ask('two', `two-${number}.example`);
    expect(asked).toHaveLength(6);
    ask('three', 'three.example');
    expect(asked.at(-1)).toBe('three.example');
  });

  it("throws DNS on the service's own account for a lookup that waited too long", async () => {
    const { answer, time, resolve } = stage();
    const names = Array.from({ length: 5 }, (_, number) => `${number}.example`);
    const found = names.map(resolve);
    time.now = 11_000;
    answer('0.example');
    await expect(found[4]).rejects.toMatchObject({ code: 'DNS', ours: true });
  });

  it('starts the next lookup when one fails', async () => {
    const failing = createFairResolve((hostname) => Promise.reject(new Error(hostname)), Date.now, 8);
    const names = Array.from({ length: 8 }, (_, index) => `${index}.example`);
    const results = await Promise.allSettled(names.map(failing));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  });
});
