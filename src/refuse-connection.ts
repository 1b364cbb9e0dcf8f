import type { Socket } from 'node:net';

/** How long a client has to read why it was refused, in milliseconds. */
const lingerTime = 2000;
/** Refused connections that are still open, at most: beyond that they are closed without a word. */
const maxLingering = 1000;

const body = JSON.stringify({ message: 'Too many connections are open. Try again later.', code: 'UNAVAILABLE' });
const answer = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${body.length}`,
  'Retry-After: 1',
  'Connection: close',
  '',
  body,
].join('\r\n');

/**
 * Makes what refuses connections with an answer (503) before they have sent anything, so that a client learns why and a proxy
 * tries another process. A request that is under way is read and dropped: closing a socket with unread bytes resets it,
 * and the answer would be lost with it.
 */
export function createRefusal(): (socket: Socket) => void {
  let lingering = 0;
  return (socket) => {
    if (lingering >= maxLingering) return void socket.destroy();
    lingering += 1;
    const late = setTimeout(() => socket.destroy(), lingerTime).unref();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(late);
      lingering -= 1;
    });
    socket.end(answer);
    socket.resume();
  };
}
