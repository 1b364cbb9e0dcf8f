import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends text over a TCP connection and returns everything received until the server closes the connection. */
export async function overWire(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}
