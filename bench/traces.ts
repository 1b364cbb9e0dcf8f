import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Call, compare } from './load.js';
import { openStage } from './stage.js';

/**
 * Measures the cost of tracing: GET of the account and ingestion of ten records, by services over one database that
 * trace no requests, one in a hundred, and every request. The collector answers at once and discards what it receives.
 */
export const run = async ([seconds = '3']: readonly string[]): Promise<void> => {
  const collector = createServer((request, response) => {
    request.resume().once('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const stage = await openStage({ RATE_LIMIT: '0', WORKERS: '1' });
  const traced = (part: string) =>
    stage.serve({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: part });
  const services = [await stage.serve({}), await traced('1'), await traced('0.01'), await stage.serve({})];
  const names = ['no tracing, a second process', 'every request traced', 'one in a hundred traced', 'no tracing'];
  try {
    await stage.pool.query(
      `insert into device (id, organization_id, serial, slug, created_at, updated_at)
       values (gen_random_uuid(), $1, '0a', 'd', now(), now())`,
      [stage.organizationId],
    );
    const body = JSON.stringify(Array.from({ length: 10 }, (_, n) => ({ serial: '0a', data: { n } })));
    const works: [title: string, call: Call][] = [
      ['GET account', { method: 'GET', path: () => '/ddp/v1/account' }],
      [
        'POST 10 records',
        { method: 'POST', path: () => `/ddp/v1/organizations/${stage.organizationId}/records`, body: () => body },
      ],
    ];
    for (const [title, call] of works) {
      const sides = services.map(({ origin }, index) => ({ name: names[index]!, origin, call }));
      await compare(title, sides, stage.token, Number(seconds));
    }
  } finally {
    for (const service of services) await service.close();
    await stage.close();
    collector.closeAllConnections();
    collector.close();
  }
};
