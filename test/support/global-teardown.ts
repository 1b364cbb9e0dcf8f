/** After all tests: the server that the setup started goes, and its data with it. */
export default async function teardown(): Promise<void> {
  await globalThis.testServer?.close();
}
