import { type Command, InvalidArgumentError, Option } from 'commander';
import { type BridgeSource, bridgeSources, runBridge } from '#bridge/bridge.js';
import { createLog } from '#common/log.js';

interface GivenOptions {
  url: string;
  topic: string[];
  source: BridgeSource;
  service: string;
  organization: string;
  token: string;
  clientId: string;
  keepAlive: number;
}

/** Adds `ddp bridge`. */
export function addBridgeCommand(ddp: Command): void {
  ddp
    .command('bridge')
    .description('Subscribe to an MQTT broker and post its messages to a running service, until SIGTERM or SIGINT.')
    .addOption(
      new Option('--url <address>', 'broker, such as mqtt://user:password@host:1883, or mqtts://')
        .env('BRIDGE_URL')
        .makeOptionMandatory(),
    )
    .requiredOption('--topic <topics...>', 'what to subscribe to, such as application/+/device/+/event/+')
    .addOption(
      new Option('--source <source>', 'network server that publishes the messages')
        .choices([...bridgeSources])
        .makeOptionMandatory(),
    )
    .requiredOption('--organization <id>', 'organization that owns the devices')
    .addOption(new Option('--token <token>', 'token of scope ingest').env('DDP_TOKEN').makeOptionMandatory())
    .option('--service <origin>', 'where the service is', 'http://127.0.0.1:4000')
    .option('--client-id <name>', 'the broker keeps messages for this name while the bridge is away', 'ddp-bridge')
    .option(
      '--keep-alive <seconds>',
      'between pings; the bridge leaves a broker that is silent for twice as long',
      secondsOf,
      30,
    )
    .action(bridge);
}

const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (!/^\d{1,5}$/.test(text) || seconds < 1 || seconds > 65_535)
    throw new InvalidArgumentError('It must be from 1 to 65535.');
  return seconds;
};

async function bridge({
  url,
  topic,
  source,
  service,
  organization,
  token,
  clientId,
  keepAlive,
}: GivenOptions): Promise<void> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^mqtts?:$/.test(address.protocol))
    throw new Error('--url must be an address such as mqtt://host:1883.');
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  await runBridge({
    url: address,
    topics: topic,
    source,
    service: service.replace(/\/$/, ''),
    organizationId: organization,
    token,
    clientId,
    keepAlive,
    log: createLog('info'),
    signal: stop.signal,
  });
}
