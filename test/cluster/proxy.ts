import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to a server, such as the first node at OPENSEARCH_URL, that a test can block or cut. */
export interface Proxy {
  /** Stays the same when the proxy is reopened. */
  readonly url: string;
  /** Closes all connections, and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  open(): Promise<void>;
  /** Accepts connections and requests without answering, as a paused node does. With false, it continues with them. */
  hold(isHeld: boolean): void;
  /** Closes each connection whose answers exceed a number of bytes from now on. */
  cutBeyond(bytes: number): void;
}

/** Opens a proxy on a free loopback port. */
export const startProxy = async (to = process.env['OPENSEARCH_URL']!.split(',')[0]!): Promise<Proxy> => {
  const { hostname, port: target } = new URL(to);
  const sockets = new Set<Socket>();
  const answers = new Set<Socket>();
  let held = false;
  let most = Number.POSITIVE_INFINITY;
  const carried = new Map<Socket, number>();
  let server: Server | undefined;
  let port = 0;
  const open = async () => {
    server = createServer((socket) => {
      const through = connect(Number(target), hostname);
      for (const one of [socket, through]) {
        sockets.add(one);
        one
          .on('error', () => one.destroy())
          .on('close', () => {
            sockets.delete(one);
            answers.delete(one);
            socket.destroy();
            through.destroy();
          });
      }
      answers.add(through);
      socket.pipe(through);
      through.on('data', (data: Buffer) => {
        const bytes = (carried.get(through) ?? 0) + data.length;
        carried.set(through, bytes);
        if (bytes > most) socket.end(data, () => through.destroy());
        else socket.write(data);
      });
      if (held) through.pause();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as { port: number });
  };
  await open();
  return {
    url: `http://127.0.0.1:${port}`,
    open,
    async cut() {
      const closed = once(server!, 'close');
      server!.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    cutBeyond(bytes) {
      most = bytes;
      carried.clear();
    },
    hold(isHeld) {
      held = isHeld;
      for (const answer of answers) {
        if (isHeld) answer.pause();
        else answer.resume();
      }
    },
  };
};
