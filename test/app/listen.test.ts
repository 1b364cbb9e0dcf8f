import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { checkListenAddress } from '#http/listen.js';

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
