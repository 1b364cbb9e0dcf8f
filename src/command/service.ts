import type { Command } from 'commander';
import { createLog } from '#common/log.js';
import { readEnvironment } from '#config/config.js';
import { addCommand, answer, type OutputOptions } from './command.js';
import { greeting, welcome } from './welcome.js';
import { withDatabase } from './workplace.js';

/** Adds `ddp serve` and `ddp migrate`. */
export function addServiceCommands(ddp: Command): void {
  addCommand(ddp, 'serve', 'Run the service until SIGTERM or SIGINT.').action(serve);
  addCommand(ddp, 'migrate', 'Bring the database to the newest schema.').action(async (options: OutputOptions) =>
    answer(options, await withDatabase(({ applied }) => Promise.resolve({ applied }))),
  );
}

async function serve(options: OutputOptions): Promise<void> {
  // The service is most of the program. Without loading it, other commands start in half the time.
  const { awaitSignal, heedHangUp, start } = await import('./serve.js');
  const config = readEnvironment(true);
  const log = createLog(config.logLevel);
  const signal = awaitSignal(log);
  const service = await start(config, log);
  const { url, mqttUrl } = service;
  const addresses = { url, ...(mqttUrl !== undefined && { mqttUrl }) };
  log.info(addresses, 'Listening');
  if (options.json) answer(options, { ...addresses, ...service.first });
  else process.stdout.write(service.first ? welcome(url, service.first) : greeting(url, service.organization));
  const ends = [signal, service.failure, ...(service.restart ? [heedHangUp(service.restart)] : [])];
  try {
    await Promise.race(ends);
  } finally {
    await service.close();
    log.info('Ended');
  }
}
