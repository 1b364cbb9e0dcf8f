import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { facts } from '../elasticsearch/fact/facts.js';
import { testGuide } from './guide.js';

const page = 'docs/elasticsearch.md';

testGuide(page, {
  skipped: {
    '{origin}/ddp': 'an address',
    'apiVersion: 1': 'Grafana reads this file; test/elasticsearch/grafana.test.ts sends its requests',
  },
});

/** Returns the files that the table calls held, each after its folder. */
const held = (): string[] => {
  const [, table = ''] = readFileSync(page, 'utf8').split("## OpenSearch's REST tests, file by file");
  let folder = '';
  return table.split('\n').flatMap((line) => {
    const [, name = '', files = '', here = ''] = line.split('|').map((cell) => cell.trim());
    folder = name === '' ? folder : name.replaceAll('`', '');
    return here === 'held' ? [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `${folder}/${file}`) : [];
  });
};

describe(`the table of OpenSearch's REST tests in ${page}`, () => {
  it('calls those files held that have facts, and no other', () => {
    expect(held().toSorted()).toEqual([...new Set(facts.map(({ of }) => of))].toSorted());
  });
});
