import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stdout } from 'node:process';

/**
 * A receiver in a separate process. It answers at once, except below `/hang`, where it never answers. Prints its port.
 */
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url?.startsWith('/hang') !== true) response.end('ok');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => stdout.write(`${(server.address() as AddressInfo).port}\n`));
