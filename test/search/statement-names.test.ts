import { describe, expect, it } from '@jest/globals';
import { StatementNames } from '#records/postgres/search/statement-names.js';

describe('names of prepared statements', () => {
  it('assigns a name to a statement that is sent a second time', () => {
    const names = new StatementNames();
    expect(names.nameOf('select 1')).toBeUndefined();
    const name = names.nameOf('select 1');
    expect(name).toBeDefined();
    expect(names.nameOf('select 2')).toBeUndefined();
    expect(names.nameOf('select 1')).toBe(name);
    expect(names.nameOf('select 2')).not.toBe(name);
  });

  it('assigns at most 20 names, whatever statements are sent', () => {
    const names = new StatementNames();
    const texts = Array.from({ length: 1000 }, (_, index) => `select ${index}`);
    for (const text of texts) for (let i = 0; i < 2; i++) names.nameOf(text);
    expect(texts.filter((text) => names.nameOf(text) !== undefined)).toHaveLength(20);
  });

  it('forgets a statement after 1,000 others', () => {
    const names = new StatementNames();
    for (let i = 0; i < 1000; i++) names.nameOf(`select ${i}`);
    expect(names.nameOf('select 0')).toBeUndefined();
  });
});
