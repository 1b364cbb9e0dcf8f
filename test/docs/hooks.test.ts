import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { compare, testGuide, useGuide } from './guide.js';
import type { Block } from './page.js';

const path = 'docs/hooks.md';
const guide = useGuide();

/** Returns the first call that the page's hook received, which delivers the record. */
const firstCall = async () => (await guide.receiver.received(1))[0]!;

testGuide(
  path,
  {
    runs: {
      async 'json received'(block: Block) {
        compare(block, (await firstCall()).body, guide);
        return '';
      },
      async 'text received'(block: Block) {
        const { headers } = await firstCall();
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
        compare(block, lines.join('\n'), guide);
        return '';
      },
      async 'json opened'(block: Block) {
        await guide.shell(`
          api /applications/$ORGANIZATION/$APPLICATION/hooks/$HOOK/settings -X PUT -d '{ "events": ["record", "alert.opened"] }'
          api /applications/$ORGANIZATION/$APPLICATION/alert-rules -d '{ "name": "Too warm", "severity": "critical",
            "kind": "threshold", "when": { "all": [{ "variable": "temperature", "operator": "gt", "value": 8 }] } }'
          api /organizations/$ORGANIZATION/records -d '{
            "serial": "00-de-70-00-00-00-00-01", "ts": 1774786200, "data": { "temperature": 11 } }'`);
        const opened = () => guide.receiver.calls.find(({ headers }) => headers['x-service-event'] === 'alert.opened');
        for (let count = 1; opened() === undefined; count++) await guide.receiver.received(count);
        compare(block, opened()!.body, guide);
        return '';
      },
      async 'json ping'(block: Block) {
        await guide.shell('api /applications/$ORGANIZATION/$APPLICATION/hooks/$HOOK/ping -X POST');
        const ping = guide.receiver.calls.find(({ headers }) => headers['x-service-event'] === 'ping');
        compare(block, ping!.body, guide);
        return '';
      },
    },
  },
  guide,
);

it(`lists every header of a webhook call in ${path}, and no other`, async () => {
  const [, table] = /^\| Header \| Value \|\n(.*?)\n\n/ms.exec(readFileSync(path, 'utf8'))!;
  // The page's records were posted without a trace.
  const cells = table!
    .split('\n')
    .filter((row) => !row.startsWith('| `traceparent`'))
    .map((row) => row.split('|')[1]!);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  const ofHttp = ['host', 'connection', 'content-length', 'transfer-encoding'];
  const sent = Object.keys((await firstCall()).headers).filter((name) => !ofHttp.includes(name));
  expect(named.toSorted()).toEqual(sent.toSorted());
});
