import { beforeAll, describe, expect, it } from '@jest/globals';
import { growthDuring } from '../../attack/memory.js';
import { type AccountActor, useWorld } from '../../support/world.js';

const world = useWorld({});
const count = 100_000;
let owner: AccountActor;
let address: string;

beforeAll(async () => {
  owner = await world.organization();
  const id = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Field' });
  address = `${world.url}/ddp/v1/applications/${owner.id}/${id}/export`;
  const ids: string[] = [];
  for (let index = 0; index < 20; index++) {
    const device = await owner.make(`/organizations/${owner.id}/devices/aa-${index.toString(16).padStart(2, '0')}`);
    await owner.put(`/applications/${owner.id}/${id}/devices/${device}`);
    ids.push(device);
  }
  // Inserts the records directly, because posting them would take longer than the whole test.
  await world.pool.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data)
     select gen_random_uuid(), $1::uuid, ($2::uuid[])[1 + i % 20], now() - interval '30 days' + i * interval '10 seconds',
       '{"rssi": -90}', jsonb_build_object('n', i, 'text', repeat('x', 100))
       from generate_series(0, $3::int - 1) i`,
    [owner.id, ids, count],
  );
  await world.pool.query('analyze record');
});

/** Reads a file to its end, passes its chunks to `see`, and returns its length. */
const read = async (parameters: string, see: (chunk: Uint8Array) => void = () => undefined) => {
  const response = await fetch(`${address}?${parameters}`, { headers: { authorization: `Bearer ${owner.token}` } });
  expect(response.status).toBe(200);
  let length = 0;
  for await (const chunk of response.body!) {
    length += chunk.length;
    see(chunk);
  }
  return length;
};

describe('export of 100,000 records', () => {
  it.each(['csv', 'parquet'])('grows the process by less than 200 MiB as %s', async (format) => {
    await read(`format=${format}&columns=id,ts&to=${Math.floor(Date.now() / 1000) - 29 * 86_400}`);
    const { result, bytes } = await growthDuring(() => read(`format=${format}&columns=id,ts,device.id,metadata,data`));
    expect(result).toBeGreaterThan(count * 40);
    expect(bytes).toBeLessThan(200 * 2 ** 20);
  });

  it('contains each record once, ordered by time', async () => {
    const seen = new Set<number>();
    let rest = '';
    let [last, disorder] = [-1, 0];
    const decoder = new TextDecoder();
    await read('format=ndjson&columns=data.n', (chunk) => {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const number = (JSON.parse(line) as Record<string, number>)['data.n']!;
        if (number < last) disorder++;
        last = number;
        seen.add(number);
      }
    });
    expect([seen.size, disorder]).toEqual([count, 0]);
  });
});
