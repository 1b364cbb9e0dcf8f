/** Stops, after all tests, what the setup started: what files share, then the server with its data. */
export default async function teardown(): Promise<void> {
  await globalThis.testShared?.close();
  await globalThis.testServer?.close();
}
