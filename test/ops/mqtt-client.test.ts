import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordsOf, useMqtt } from '../mqtt/mqtt-world.js';
import { ended } from '../support/command.js';
import { describeIf, itIf } from '../support/conditional.js';
import { until } from '../support/until.js';
import { freePort, hasTools, runProgram, runTool, startTool, toolPath } from './tool.js';

const world = useMqtt();

const stored = async (name: string) =>
  (await recordsOf(world.tenant, world.deviceId)).flatMap(({ data }) => data[name] ?? []);

/**
 * A client of ThingsBoard over MQTT 3.1.1, which asks for attributes, answers a call and looks for new firmware between
 * its messages. Prints how many messages were acknowledged and how often its connection ended.
 */
const thingsBoardClient = `
import json, sys, threading
import paho.mqtt.client as mqtt
port, token = int(sys.argv[1]), sys.argv[2]
me = 'v1/devices/me/'
messages = [(me + 'attributes', {'version': 1}), (me + 'attributes/request/1', {'sharedKeys': 'interval'}),
  (me + 'telemetry', {'paho': 1}), (me + 'rpc/response/4', {}), ('v2/fw/request/1/chunk/0', 1024), (me + 'telemetry', {'paho': 2})]
done, acknowledged, ended = threading.Event(), [], []
client = mqtt.Client(protocol=mqtt.MQTTv311)
client.username_pw_set(token)
def connected(client, userdata, flags, code):
  client.subscribe(me + 'attributes/response/+', 1)
  if not ended:
    for topic, body in messages: client.publish(topic, json.dumps(body), 1)
def published(client, userdata, number):
  acknowledged.append(number)
  if len(acknowledged) == len(messages): done.set()
def disconnected(client, userdata, code):
  ended.append(code)
  if len(ended) == 3: done.set()
client.on_connect, client.on_publish, client.on_disconnect = connected, published, disconnected
client.reconnect_delay_set(1, 1)
client.connect('127.0.0.1', port)
client.loop_start()
done.wait(60)
print(json.dumps({'acknowledged': len(acknowledged), 'ended': len(ended)}))
`;

const hasPython = spawnSync('python3', ['-c', '']).status === 0;

describeIf(hasTools, 'OPS_TOOLS is not set')('ThingsBoard client of paho', () => {
  itIf(hasPython, 'there is no python3')(
    'gets all messages acknowledged on one connection, and its telemetry is stored',
    async () => {
      const args = ['-c', thingsBoardClient, new URL(world.url).port, world.deviceToken];
      const printed = await runProgram('python3', args, { PYTHONPATH: toolPath('usr/lib/python3/dist-packages') });
      expect(JSON.parse(printed)).toEqual({ acknowledged: 6, ended: 0 });
      // Messages under way are stored side by side, so either may be the newest.
      expect((await stored('paho')).sort()).toEqual([1, 2]);
    },
  );
});

describeIf(hasTools, 'OPS_TOOLS is not set')('bridge of mosquitto to the service', () => {
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ddp-bridge-'));
    port = await freePort();
    const { host } = new URL(world.url);
    const lines = [
      'allow_anonymous true',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      `listener ${port} 127.0.0.1`,
      'connection cellar',
      `address ${host}`,
      `remote_username ${world.ingestToken}`,
      'bridge_protocol_version mqttv311',
      'topic ddp/records out 1',
      'restart_timeout 1',
    ];
    await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  });
  afterAll(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('keeps its connection though it publishes its state, and brings every message', async () => {
    const metric = async (name: string) => {
      const page = await (await fetch(`${world.service.url}/metrics`)).text();
      return Number(
        page
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length) ?? 0,
      );
    };
    const [connects, ignored] = ['connects', 'messages'].map(
      (what) => `ddp_mqtt_${what}_total{reason="${what === 'connects' ? 'success' : 'ignored'}"}`,
    ) as [string, string];
    const before = [await metric(connects), await metric(ignored)];
    const broker = startTool('usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')]);
    try {
      await until(async () => (await metric(ignored)) > before[1]!);
      const numbers = Array.from({ length: 20 }, (_, number) => number);
      const lines = numbers.map((number) => `${JSON.stringify({ serial: 'ab-01', data: { viaBridge: number } })}\n`);
      const sender = ['-h', '127.0.0.1', '-p', `${port}`, '-q', '1', '-t', 'ddp/records', '-l'];
      await runTool('usr/bin/mosquitto_pub', sender, lines.join(''));
      await until(async () => (await stored('viaBridge')).length >= numbers.length);
      expect((await stored('viaBridge')).map(Number).sort((a, b) => a - b)).toEqual(numbers);
      expect((await metric(connects)) - before[0]!).toBe(1);
    } finally {
      broker.kill('SIGKILL');
      await ended(broker);
    }
  }, 60_000);
});
