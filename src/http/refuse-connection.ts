import type { Socket } from 'node:net';

/** Time that a refused client has to read the answer, in milliseconds. */
const lingerTime = 2000;
/** Maximum number of refused connections that are still open. Further ones are closed without an answer. */
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
 * Creates the function that refuses a connection with an answer (503) before the client has sent anything, so that a
 * client learns the reason and a proxy tries another process. A request in transit is read and discarded: closing a
 * socket with unread bytes resets it, and the answer would be lost.
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
