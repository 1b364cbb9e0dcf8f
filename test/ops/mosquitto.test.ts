import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MqttWorld, recordsOf, useMqtt } from '../mqtt/mqtt-world.js';
import { ended, startCommand } from '../support/command.js';
import { describeIf } from '../support/conditional.js';
import { until } from '../support/until.js';
import { freePort, hasTools, runTool, startTool } from './tool.js';

const certFile = resolve('test/data/mqtt/cert.pem');
const keyFile = resolve('test/data/mqtt/key.pem');
const unencrypted = useMqtt();
const encrypted = useMqtt({ MQTT_TLS_CERT: certFile, MQTT_TLS_KEY: keyFile });

/** Publishes with `mosquitto_pub`; returns its output, or throws it on failure. */
const publish = (url: string, args: readonly string[], input?: string): Promise<string> => {
  const { port, protocol } = new URL(url);
  const tls = protocol === 'mqtts:' ? ['--cafile', certFile] : [];
  return runTool('usr/bin/mosquitto_pub', ['-h', '127.0.0.1', '-p', port, ...tls, ...args], input);
};

describeIf(hasTools, 'OPS_TOOLS is not set')('mosquitto_pub', () => {
  const topic = 'v1/devices/me/telemetry';

  describe.each([
    ['TCP', unencrypted],
    ['TLS', encrypted],
  ])('mosquitto_pub over %s', (_, world) => {
    it.each([
      ['mqttv311', '0', 1],
      ['mqttv311', '1', 2],
      ['mqttv5', '0', 3],
      ['mqttv5', '1', 4],
    ])('posts a record in version %s at QoS %s that REST returns', async (version, qos, sent) => {
      const sender = ['-V', version, '-q', qos, '-u', world.deviceToken];
      await publish(world.url, sender.concat('-t', topic, '-m', JSON.stringify({ sent })));
      const isFound = async () => (await newest(world)) === sent;
      // A message at QoS 0 is not acknowledged, so it may be stored later.
      if (qos === '0') await until(isFound);
      expect(await isFound()).toBe(true);
    });
  });

  /** Returns the newest value of `sent` over REST. */
  const newest = async ({ tenant, deviceId }: MqttWorld): Promise<unknown> => {
    const path = `/devices/${tenant.id}/${deviceId}/latest`;
    const { body } = await tenant.owner.get<{ values: { name: string; value: unknown }[] }>(path);
    return body.values.find(({ name }) => name === 'sent')?.value;
  };

  it('prints the reason of a refusal in version 5, and nothing is stored', async () => {
    const { url, deviceToken } = unencrypted;
    const refused = (token: string, qos: string, name = topic) => {
      const args = ['-V', 'mqttv5', '-u', token, '-q', qos, '-t', name, '-m', '{"refused":true}'];
      return publish(url, args).catch(String);
    };
    expect(await refused(deviceToken, '2')).toMatch(/QoS not supported/);
    expect(await refused('ddp_unknown', '1')).toMatch(/Bad user name or password/i);
    expect(await refused(deviceToken, '1', 'devices/1/up')).toMatch(/Topic name invalid/i);
    const records = await recordsOf(unencrypted.tenant, unencrypted.deviceId);
    expect(records.some(({ data }) => 'refused' in data)).toBe(false);
  });
});

describeIf(hasTools, 'OPS_TOOLS is not set')('ddp bridge with mosquitto', () => {
  let folder: string;
  let ports: { tcp: number; tls: number };
  const started = new Set<ChildProcess>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ddp-mosquitto-'));
    ports = { tcp: await freePort(), tls: await freePort() };
    const lines = [
      'persistence true',
      `persistence_location ${folder}/`,
      'allow_anonymous true',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      // By default the broker keeps only a thousand messages for an absent client.
      'max_queued_messages 0',
      `listener ${ports.tcp} 127.0.0.1`,
      `listener ${ports.tls} 127.0.0.1`,
      `certfile ${certFile}`,
      `keyfile ${keyFile}`,
    ];
    await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  });
  afterAll(async () => {
    await Promise.all([...started].map(kill));
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const track = (child: ChildProcess): ChildProcess => {
    started.add(child);
    return child;
  };
  const kill = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await ended(child);
  };
  const startBroker = () => track(startTool('usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')]));
  const startBridge = () => {
    const { service, tenant, ingestToken } = unencrypted;
    const args = ['--url', `mqtts://localhost:${ports.tls}`, '--topic', 'site/#', '--source', 'ddp'];
    const target = ['--service', service.url, '--organization', tenant.id];
    const settings = { DDP_TOKEN: ingestToken, NODE_EXTRA_CA_CERTS: certFile };
    return track(startCommand(['bridge', ...args, ...target], settings));
  };
  const send = (lines: readonly object[]) =>
    publish(
      `mqtt://127.0.0.1:${ports.tcp}`,
      ['-q', '1', '-t', 'site/1', '-l'],
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
  const stored = async (name = 'bridged') =>
    (await recordsOf(unencrypted.tenant, unencrypted.deviceId)).flatMap(({ data }) => data[name] ?? []);

  it('loses no message when bridge and broker are killed, and stores each record key once', async () => {
    const record = (bridged: number) => ({ serial: 'ab-01', data: { bridged } });
    const broker = startBroker();
    const bridge = startBridge();
    // The broker drops messages until the bridge has subscribed.
    await until(async () => {
      await send([{ serial: 'ab-01', data: { probe: 1 } }]).catch(() => undefined);
      return (await stored('probe')).length > 0;
    });
    const numbers = Array.from({ length: 600 }, (_, number) => number);
    const keyed = (number: number) => number % 2 === 0;
    const messages = numbers.map((number) => ({ ...record(number), ...(keyed(number) && { key: `m${number}` }) }));
    const sent = send(messages.slice(0, 300));
    await until(async () => (await stored()).length > 20);
    await kill(bridge);
    await sent;
    await send(messages.slice(300));
    // On SIGUSR1 the broker saves its messages: all that are not acknowledged, including the newest.
    broker.kill('SIGUSR1');
    await until(async () => (await readFile(join(folder, 'mosquitto.db')).catch(() => '')).includes('"bridged":599'));
    const before = (await stored()).length;
    startBridge();
    await until(async () => (await stored()).length > before + 20);
    await kill(broker);
    startBroker();
    await until(async () => new Set(await stored()).size === numbers.length);
    // When the broker has no messages left, each key is stored once.
    await send([record(600)]);
    await until(async () => (await stored()).includes(600));
    const found = (await stored()).map(Number);
    const times = (number: number) => found.filter((each) => each === number).length;
    expect(numbers.filter((number) => times(number) === 0)).toEqual([]);
    expect(numbers.filter((number) => keyed(number) && times(number) !== 1)).toEqual([]);
  }, 240_000);
});
