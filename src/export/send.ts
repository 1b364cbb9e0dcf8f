import type { ServerResponse } from 'node:http';

/** How long a client may take nothing of what it was sent, in milliseconds; then it is cut off. */
const stallDeadline = 120_000;

/** The head of the answer, which is written when the first part of the file is there: what is wrong before is an error. */
export interface Head {
  readonly contentType: string;
  readonly fileName: string;
}

/**
 * Sends a file as it is made: the next part is made when the socket has taken those before. It ends when the signal is aborted
 * because the client is gone. What goes wrong in the middle is thrown, and ends the connection: the client sees a body that is cut off.
 */
export const send = async (
  response: ServerResponse,
  parts: AsyncGenerator<string | Uint8Array, void>,
  { contentType, fileName }: Head,
  signal: AbortSignal,
): Promise<void> => {
  try {
    const first = await parts.next();
    signal.throwIfAborted();
    response.writeHead(200, {
      'Content-Type': contentType,
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    if (response.req.method === 'HEAD') return void response.end();
    for (let part = first; part.done !== true; part = await parts.next()) {
      if (part.value.length > 0 && !response.write(part.value)) await drained(response, signal);
      signal.throwIfAborted();
    }
    response.end();
  } finally {
    await parts.return();
  }
};

/** By hand: signals that are made of others, one for each of a hundred thousand waits, would pile up. */
const drained = (response: ServerResponse, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      response.removeListener('drain', taken);
      signal.removeEventListener('abort', gone);
      settle();
    };
    const taken = end(resolve);
    const gone = end(() => reject(signal.reason as Error));
    const timer = setTimeout(() => response.destroy(), stallDeadline);
    response.once('drain', taken);
    signal.addEventListener('abort', gone, { once: true });
    if (signal.aborted) gone();
  });
