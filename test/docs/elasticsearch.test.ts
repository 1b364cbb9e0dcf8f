import { existsSync, readFileSync } from 'node:fs';
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

const account = 'test/elasticsearch/README.md';
const [, table = ''] = readFileSync(account, 'utf8').split('## File by file');

/** Returns the files that the table marks as "held", each after its folder. */
const held = (): string[] => {
  let folder = '';
  return table.split('\n').flatMap((line) => {
    const [, name = '', files = '', here = ''] = line.split('|').map((cell) => cell.trim());
    folder = name === '' ? folder : name.replaceAll('`', '');
    return here === 'held' ? [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `${folder}/${file}`) : [];
  });
};

describe(`the table of OpenSearch's REST tests in ${account}`, () => {
  it('calls those files held that have facts, and no other', () => {
    expect(held().toSorted()).toEqual([...new Set(facts.map(({ of }) => of))].toSorted());
  });

  it.each([
    ['340_geo_distance', '"aggs":{"a":{"geo_distance":'],
    ['331_distributed_sort_basic_date_missing', '"missing": "_first"'],
    ['95_search_after_shard_doc', '_shard_doc'],
    ['200_ignore_malformed', '_ignored'],
    ['340_named_queries', '_name'],
    ['70_source_filtering', '_source_includes'],
  ])('names a file with such requests for %s', (file, request) => {
    const cells = table.split('\n').find((line) => line.includes(`\`${file}\``))!;
    const holders = [...cells.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => readFileSync(path!, 'utf8'));
    expect(holders.some((text) => text.includes(request))).toBe(true);
  });

  it('names only existing files', () => {
    const paths = [...table.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});
