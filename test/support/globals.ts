import { jestExpect } from '@jest/expect';
import type * as Jest from '@jest/globals';

/** The functions that define a test file's suites, hooks and tests. */
export type Definers = Pick<
  typeof Jest,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'it'
>;

type Name = Exclude<keyof Definers, 'expect'>;

let current: Pick<Definers, Name>;

/** Sets the functions that the current test file defines its tests with. */
export const useDefiners = (definers: Pick<Definers, Name>): void => {
  current = definers;
};

/**
 * Forwards to the current file's function: a module of `test/support` is loaded once and serves every file of a worker.
 */
const forward = <Key extends Name>(name: Key): Definers[Key] =>
  new Proxy<Definers[Name]>(() => undefined, {
    apply: (_target, self, args: unknown[]) => Reflect.apply(current[name], self, args) as unknown,
    get: (_target, key) => Reflect.get(current[name], key) as unknown,
  }) as Definers[Key];

export const afterAll = forward('afterAll');
export const afterEach = forward('afterEach');
export const beforeAll = forward('beforeAll');
export const beforeEach = forward('beforeEach');
export const describe = forward('describe');
export const it = forward('it');
export const expect = jestExpect;
