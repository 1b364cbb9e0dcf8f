/** Maximum number of bytes of an answer. */
const mostBytes = 262_144;

/** An answer that was read whole. */
interface Read {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | null;
}

/** Options of a request, as openid-client gives them. */
interface Options {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the function that makes the requests to a provider. It reads at most {@link mostBytes}, and follows no
 * redirect. The caller's signal ends it. Requests for the same public document (metadata and keys) that overlap are one
 * request, so that a slow provider is not asked again by each person who waits.
 */
export function createProviderFetch(): (url: string, options: Options) => Promise<Response> {
  const under = new Map<string, Promise<Read>>();
  return async (url, options) => {
    const isShared = options.method === 'GET' && !('authorization' in options.headers);
    if (!isShared) return responseOf(await read(url, options));
    let reading = under.get(url);
    if (reading === undefined) {
      reading = read(url, options).finally(() => under.delete(url));
      under.set(url, reading);
    }
    return responseOf(await reading);
  };
}

async function read(url: string, options: Options): Promise<Read> {
  const { status, statusText, headers, body } = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  if (body === null) return { status, statusText, headers, body };
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`The provider's answer has more than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return { status, statusText, headers, body: Buffer.concat(parts) };
}

const responseOf = ({ body, ...rest }: Read): Response => new Response(body, rest);
