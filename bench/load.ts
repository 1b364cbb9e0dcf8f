import { Pool } from 'undici';
import { type Row, report } from './figures.js';

/** A request. `body` and `path` may differ each time. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: () => string;
  body?: () => string;
}

/** A server of a comparison, and the call by which it does the compared work. */
export interface Side {
  name: string;
  origin: string;
  call: Call;
}

/** Default number of kept-alive connections, each with one request at a time. */
const usualConnections = 32;
const rounds = 5;

/** Loads each side in turn, over several rounds, and compares the last side with each of the others. */
export async function compare(title: string, sides: readonly Side[], token: string, seconds: number): Promise<void> {
  const rows = sides.map((side) => ({ side, name: side.name, figures: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { side, figures } of rows) {
      const rate = await load(side, token, round === 0 ? 1 : seconds);
      // The first round only warms up.
      if (round > 0) figures.push(rate);
    }
  }
  const ours = rows.at(-1)!;
  const others = rows.slice(0, -1).map(({ name, figures }): Row => ({ name, figures }));
  report(`${title}, ${usualConnections} connections`, 'req/s', [
    ...others,
    ...others.map((against) => ({ name: ours.name, figures: ours.figures, against })),
  ]);
}

/** Returns requests per second over kept-alive connections. Every answer is read completely. */
export async function load(
  { name, origin, call }: Side,
  token: string,
  seconds: number,
  connections = usualConnections,
): Promise<number> {
  const { method, path, body } = call;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const begun = performance.now();
  const until = begun + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const answer = await pool.request({ method, path: path(), headers, ...(body && { body: body() }) });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || text.startsWith('{"errors"')) throw new Error(`${name}: ${text.slice(0, 500)}`);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const rate = (count * 1000) / (performance.now() - begun);
  await pool.close();
  return rate;
}
