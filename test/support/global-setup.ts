import type { TestServer } from './server.js';

declare global {
  var testServer: TestServer | undefined;
}

/** Before all tests: one server with a migrated template. Test files find it through the environment. */
export default async function setup(): Promise<void> {
  const names = new Set(Object.getOwnPropertyNames(globalThis));
  const { openTestServer } = await import('./server.js');
  const server = await openTestServer(process.env['DATABASE_URL']);
  // With one worker, test files run in this process and get its globals: the metadata that type-graphql and
  // class-validator keep there must not be found by a second copy of the same classes.
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (!names.has(name)) Reflect.deleteProperty(globalThis, name);
  globalThis.testServer = server;
  process.env['DDP_TEST_SERVER'] = server.connectionString;
  process.env['DDP_TEST_TEMPLATE'] = server.template;
  // Jest skips the teardown when it is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().finally(() => process.exit(1)));
  }
}
