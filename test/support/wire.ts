import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends bytes over one connection and gives all that came back when the other side closed it. */
export async function overWire(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}
