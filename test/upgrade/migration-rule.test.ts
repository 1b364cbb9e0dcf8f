import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const folder = new URL('../../../migrations/', import.meta.url);

/** The baseline, which creates its tables. */
const baseline = /^\d\d-/;
/** Tables that stay so small in any service that a scan of all rows takes no time. */
const small = new Set(['account', 'api_token', 'application', 'hook', 'hook_state', 'membership', 'product', 'team']);

/** Returns the statements of a migration that would block writes to a large table for long. */
function blockingStatements(migration: string): string[] {
  const text = migration.replaceAll(/--.*|\/\/.*|\/\*[\s\S]*?\*\//g, '').replaceAll(/\s+/g, ' ');
  const created = new Set([...text.matchAll(/create table (?:if not exists )?([\w.]+)/g)].map(([, table]) => table));
  const indexes = [...text.matchAll(/create (?:unique )?index (?:if not exists )?\w+ on (?:only )?([\w.]+)/g)]
    .filter(([, table]) => !created.has(table))
    .map(([statement]) => statement);
  const changes = [...text.matchAll(/alter table (?:if exists )?(?:only )?([\w.]+) ([^;`]*)/g)]
    .filter(([, table = '']) => !created.has(table) && !small.has(table))
    .filter(([, , change = '']) => looksAtAllRows(change))
    .map(([statement]) => statement);
  return [...indexes, ...changes];
}

/** Whether a table change scans or rewrites all rows while writes are blocked. */
const looksAtAllRows = (change: string): boolean =>
  /alter (?:column )?\w+ (?:set data )?type\b/.test(change) ||
  /add column [^,]*\b(?:generated|serial|bigserial|default (?!true|false|null|'|-?\d)\w)/.test(change) ||
  /add (?:constraint \w+ )?(?:primary key|unique)\b(?! using)/.test(change) ||
  change
    .split(/,(?![^(]*\))/)
    .some((each) => /add (?:constraint \w+ )?(?:check|foreign key)\b(?!.*not valid)/.test(each));

describe('migration of a table in use', () => {
  it('builds no index and reads no table while other sessions wait', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !baseline.test(name));
    const blocking = names.map((name) => [name, blockingStatements(readFileSync(new URL(name, folder), 'utf8'))]);
    expect(blocking.filter(([, statements]) => statements!.length > 0)).toEqual([]);
  });

  it.each([
    'create index device_color on device (color)',
    'create unique index if not exists a on record (b)',
    'create index a on only delivery (b)',
    'alter table device alter column name type varchar',
    'alter table device add column number int generated always as identity',
    'alter table device add column made timestamptz default clock_timestamp()',
    'alter table delivery drop constraint delivery_pkey, add primary key (id)',
    'alter table job add constraint c check (a > 0)',
    'alter table device add column a uuid, add foreign key (a) references b',
  ])('rejects %s', (statement) => {
    expect(blockingStatements(`this.addSql(\`${statement};\`)`)).toHaveLength(1);
  });

  it.each([
    'create table color (id uuid); create index color_id on color (id)',
    'create index concurrently a on device (b)',
    `alter table device add column a int, add column b text not null default 'x'`,
    'alter table job add constraint c check (a > 0) not valid',
    'alter table api_token add check (a > 0)',
    '-- create index a on device (b)',
  ])('accepts %s', (statement) => {
    expect(blockingStatements(`this.addSql(\`${statement};\`)`)).toEqual([]);
  });
});
