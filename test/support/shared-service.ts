/**
 * A service that the files of one worker share: a process that starts it over a database of its own, sends its addresses to
 * the parent, and ends when the parent disconnects. Its argument is the index of its records.
 */
import { createDatabase } from './server.js';
import { startTestService } from './start-service.js';

/** The addresses of a shared service. */
export interface StartedService {
  url: string;
  databaseUrl: string;
}

const [, , index] = process.argv;
globalThis.recordIndex = index === 'opensearch' ? 'opensearch' : undefined;
const databaseUrl = await createDatabase();
const service = await startTestService(databaseUrl);
process.once('disconnect', () => void service.close().finally(() => process.exit()));
process.send!({ url: service.url, databaseUrl } satisfies StartedService);
