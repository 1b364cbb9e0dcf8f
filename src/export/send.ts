import type { ServerResponse } from 'node:http';

/** Time without progress after which a client is cut off, in milliseconds. */
const stallDeadline = 120_000;

/**
 * Head of the response. It is sent with the first part of the file, so that earlier failures become error responses.
 */
export interface Head {
  readonly contentType: string;
  readonly fileName: string;
}

/**
 * Sends a file while it is made: the next part is made when the socket has taken those before. Ends when the signal is
 * aborted because the client is gone. A failure in the middle is thrown and ends the connection, so the client sees a
 * truncated body.
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

/**
 * Waits for `drain`. It combines no signals: each combined signal would stay in memory, and there may be a hundred
 * thousand waits.
 */
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
