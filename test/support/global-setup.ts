import { openTestServer, type TestServer } from './server.js';

declare global {
  var testServer: TestServer | undefined;
}

/** Before all tests: one server with a migrated template. Test files find it through the environment. */
export default async function setup(): Promise<void> {
  const server = await openTestServer(process.env['DATABASE_URL']);
  globalThis.testServer = server;
  process.env['DDP_TEST_SERVER'] = server.connectionString;
  process.env['DDP_TEST_TEMPLATE'] = server.template;
  // Jest skips the teardown when it is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().finally(() => process.exit(1)));
  }
}
