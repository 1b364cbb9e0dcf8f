import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** SQL that names the table of records. */
const names = /\b(?:from|join|into|update|only)\s+record\b(?!_)|\bdelete from record\b(?!_)/i;

describe('the table of records', () => {
  it('is named by src/records alone', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const naming = files.filter((file) => names.test(sqlOf(readFileSync(`src/${file}`, 'utf8'))));
    expect(naming).not.toEqual([]);
    expect(naming.filter((file) => !file.startsWith('records/postgres/'))).toEqual([]);
  });
});

/** The text of a source's template literals: SQL is written in these. */
const sqlOf = (source: string): string => (source.match(/`[^`]*`/g) ?? []).join('\n');
