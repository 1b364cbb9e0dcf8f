import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';

const service = useService();

const rules = readFileSync('ops/prometheus/alerts.yml', 'utf8');
const dashboard = readFileSync('ops/grafana/dashboard.json', 'utf8');

/** Returns the metric names in expressions. */
const figuresIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b(?:ddp|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)),
];

describe.each([
  ['alert rules', rules],
  ['the dashboard', dashboard],
])('%s in ops/', (_, text) => {
  it('contains only metrics that a running service exports or that belong to a cluster', async () => {
    const page = await (await fetch(`${service.url}/metrics`)).text();
    const there = new Set(
      [...page.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => `${name}${end}`) : [name!],
      ),
    );
    const names = figuresIn(text);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !there.has(name) && !name.startsWith('ddp_index_'))).toEqual([]);
    const documented = readFileSync('docs/operations-metrics.md', 'utf8');
    const ofCluster = names.filter((name) => name.startsWith('ddp_index_'));
    expect(ofCluster.filter((name) => !documented.includes(name))).toEqual([]);
  });
});

describe('docs/run-book.md', () => {
  it('has a page for each alert and for no other', () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    const pages = [...readFileSync('docs/run-book.md', 'utf8').matchAll(/^## (\w+)$/gm)].map(([, name]) => name!);
    expect(pages).toEqual(alerts);
    const links = [...rules.matchAll(/runbook: docs\/run-book\.md#(\w+)/g)].map(([, anchor]) => anchor!);
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()));
  });
});
