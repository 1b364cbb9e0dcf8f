import { describe, expect, it } from '@jest/globals';
import { createFairResolve, lookingUpFor } from '../../src/hooks/resolver.js';

describe('looking up host names', () => {
  /** A resolver that answers when it is told to, and the clock that lookups go by. */
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

  it('lets names that were slow hold up nobody but themselves', async () => {
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

  it('asks once for a name that several calls wait for', async () => {
    const { asked, answer, resolve } = stage();
    const calls = [resolve('one.example'), resolve('one.example')];
    await Promise.resolve();
    expect(asked).toEqual(['one.example']);
    answer('one.example');
    await expect(Promise.all(calls)).resolves.toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('lets an organization have fewer under way than are free, and others in turn', async () => {
    const { asked, resolve } = stage();
    const ask = (organization: string, name: string) => void lookingUpFor(organization, () => resolve(name));
    for (let number = 0; number < 10; number++) ask('one', `one-${number}.example`);
    expect(asked).toHaveLength(4);
    for (let number = 0; number < 10; number++) ask('two', `two-${number}.example`);
    expect(asked).toHaveLength(6);
    ask('three', 'three.example');
    expect(asked.at(-1)).toBe('three.example');
  });

  it('tells who waited too long that the name could not be looked up in time', async () => {
    const { answer, time, resolve } = stage();
    const names = Array.from({ length: 5 }, (_, number) => `${number}.example`);
    const found = names.map(resolve);
    time.now = 11_000;
    answer('0.example');
    await expect(found[4]).rejects.toMatchObject({ code: 'DNS', ours: true });
  });

  it('lets the next name in when one fails', async () => {
    const failing = createFairResolve((hostname) => Promise.reject(new Error(hostname)), Date.now, 8);
    const names = Array.from({ length: 8 }, (_, index) => `${index}.example`);
    const results = await Promise.allSettled(names.map(failing));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  });
});
