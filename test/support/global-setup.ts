import { openTestServer, type TestServer } from './server.js';
import { openShared, type Shared } from './shared.js';

declare global {
  var testServer: TestServer | undefined;
  var testShared: Shared | undefined;
}

/** Opens, before all tests, one PostgreSQL with a migrated template, and what files share. Files find both in the environment. */
export default async function setup(): Promise<void> {
  const server = await openTestServer(process.env['DATABASE_URL']);
  const shared = await openShared();
  globalThis.testServer = server;
  globalThis.testShared = shared;
  process.env['DDP_TEST_SERVER'] = server.connectionString;
  process.env['DDP_TEST_TEMPLATE'] = server.template;
  process.env['DDP_TEST_SHARED'] = shared.url;
  // Jest skips the teardown when it is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void shared
        .close()
        .then(() => server.close())
        .finally(() => process.exit(1));
    });
  }
}
