/** Stops what the setup started, after all tests: the shared resources first, then the server with its data. */
export default async function teardown(): Promise<void> {
  await globalThis.testShared?.close();
  await globalThis.testServer?.close();
}
