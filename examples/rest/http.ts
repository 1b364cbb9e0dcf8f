/** Sends a request, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Calls one operation. Resolves with the JSON of the answer, undefined for 204. @throws Refusal */
export type Call = <Answer = void>(
  method: string,
  path: string,
  input?: { query?: object; body?: object },
) => Promise<Answer>;

/** An answer of 400 or more. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(`${status}: ${text}`);
  }
}

/** Makes the function that calls operations below a base address (`http://127.0.0.1:4000/ddp/v1`) with a token. */
export const createCall =
  (base: string, token: string, send: Send = fetch): Call =>
  async <Answer>(method: string, path: string, { query = {}, body }: { query?: object; body?: object } = {}) => {
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query)) append(url.searchParams, name, value);
    const response = await send(url.href, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refusal(response.status, text);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };

/** Lists of identifiers are repeated; objects and other lists are sent as JSON. */
function append(parameters: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    for (const item of value) parameters.append(name, item);
  else parameters.append(name, typeof value === 'string' ? value : JSON.stringify(value));
}
