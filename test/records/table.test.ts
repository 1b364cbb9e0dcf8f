import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Matches SQL that names the table of records. */
const names = /\b(?:from|join|into|update|only)\s+record\b(?!_)|\bdelete from record\b(?!_)/i;

describe('record table', () => {
  it('appears only in the SQL of src/records/postgres', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const naming = files.filter((file) => names.test(sqlOf(readFileSync(`src/${file}`, 'utf8'))));
    expect(naming).not.toEqual([]);
    expect(naming.filter((file) => !file.startsWith('records/postgres/'))).toEqual([]);
  });
});

/** Returns the text of a source's template literals: SQL is written only there. */
const sqlOf = (source: string): string => (source.match(/`[^`]*`/g) ?? []).join('\n');
