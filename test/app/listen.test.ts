import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { checkListenAddress } from '#http/listen.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';

const database = useDatabase();

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

it('finds a free port while clients connect to it and keep their connections open', async () => {
  const port = await freePort();
  let over = false;
  const knock = (): void => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    socket.on('error', () => undefined).on('close', () => over || setImmediate(knock));
  };
  for (let caller = 0; caller < 4; caller++) knock();
  for (let time = 0; time < 50; time++)
    await expect(checkListenAddress({ host: '127.0.0.1', port })).resolves.toBeUndefined();
  over = true;
}, 20_000);

it('suggests another port when the configured one is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(checkListenAddress({ host: '127.0.0.1', port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or choose another port: PORT=${port + 1}.`,
  );
  server.close();
});

it('leaves the HTTP port free when the service cannot listen for MQTT', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const mqttPort = (taken.address() as AddressInfo).port;
  const port = await freePort();
  const { mqtt } = readConfig({ MQTT_PORT: String(mqttPort) });
  try {
    await expect(startTestService(database.url, { config: { port, mqtt } })).rejects.toThrow(
      `Port ${mqttPort} on 127.0.0.1 is taken. Stop what listens there, or choose another port: MQTT_PORT=${mqttPort + 1}.`,
    );
    await expect(checkListenAddress({ host: '127.0.0.1', port })).resolves.toBeUndefined();
  } finally {
    taken.close();
  }
});
