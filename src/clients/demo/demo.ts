import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type AnswerJson, type Api, createApi } from './api.js';
import { type HookCall, openReceiver, type Receiver } from './receiver.js';
import { buildScene, clearScene, type Scene, streamId } from './scene.js';

/** The results of the demonstration. */
export interface Seen {
  /** Calls of the hook, as its receiver got them. */
  calls: HookCall[];
  /** The delivery of the latest call, as the API lists it. */
  delivery: AnswerJson;
  /** Hourly averages, as the search returned them. */
  averages: { hour: string; temperature: number | null }[];
}

/** Reports a step to the user. */
export type Tell = (step: string) => void;

/** Time that the calls of the hook may take, in milliseconds. */
const timeout = 30_000;

/**
 * Does a customer's first steps over HTTP: creates a product, a device, an application and a hook, posts two uplinks of
 * a network server, and reads the calls, the delivery and a search. Throws with an explanation when a step fails.
 */
export async function runDemo(origin: string, token: string, tell: Tell): Promise<Seen> {
  const api = createApi(origin, token);
  const receiver = await openReceiver();
  try {
    const { serial, bodies } = await readUplinks();
    const { id: organizationId } = await api.call<{ id: string }>('GET', '/account');
    tell(`Organization ${organizationId}: clearing what an earlier run left.`);
    await clearScene(api, organizationId, serial);
    tell(`Making a product, the device ${serial}, an application, and a hook to ${receiver.url}.`);
    const scene = await buildScene(api, organizationId, serial, receiver.url);
    for (const body of bodies) {
      tell('Posting an uplink as The Things Stack sends it.');
      await api.call('POST', `/organizations/${organizationId}/ingest/the-things-stack`, body);
    }
    tell('Waiting for the hook to be called for both.');
    const calls = await receiveCalls(api, scene, receiver);
    const delivery = await readDelivery(api, scene, calls);
    const averages = await searchAverages(api, scene);
    check(averages.length === 2 && averages[0]?.temperature === 1 && averages[1]?.temperature === 21.5, 'averages');
    return { calls, delivery, averages };
  } finally {
    receiver.close();
  }
}

/** Returns the calls of the hook in the order of their records, as calls may overtake each other. */
async function receiveCalls(api: Api, scene: Scene, receiver: Receiver): Promise<HookCall[]> {
  const calls = await receiver.calls(2, timeout).catch(async (error: Error) => {
    const [delivery] = await api.call<{ id: string }[]>('GET', deliveriesOf(scene));
    const { error: fault } = delivery
      ? await api.call<{ error?: { code: string } }>('GET', `${deliveriesOf(scene)}/${delivery.id}`)
      : {};
    if (fault?.code !== 'BLOCKED') throw error;
    throw new Error('The service may not call this machine. Start it with HOOK_ALLOW_CIDRS=127.0.0.0/8.');
  });
  const records = calls.map((call) => ({
    call,
    record: (JSON.parse(call.body) as { record: { ts: number; data: AnswerJson } }).record,
  }));
  records.sort((a, b) => a.record.ts - b.record.ts);
  const [first, second] = records.map(({ record }) => record.data);
  check(first?.['temperature'] === 1 && first['luminosity'] === 0.64, 'fields that came decoded');
  check(second?.['temperature'] === 21.5 && second['humidity'] === 55 && second['occupied'] === true, 'decoded frame');
  check(
    calls.every(({ headers }) => headers['x-service-event'] === 'record'),
    'event headers',
  );
  return records.map(({ call }) => call);
}

/**
 * Returns the delivery of the last call. The list shows a delivery once it is settled, shortly after the receiver has
 * answered.
 */
async function readDelivery(api: Api, scene: Scene, calls: readonly HookCall[]): Promise<AnswerJson> {
  const id = calls.at(-1)?.headers['x-service-delivery-id'];
  for (const until = Date.now() + timeout; Date.now() < until; await delay(50)) {
    const deliveries = await api.call<AnswerJson[]>('GET', deliveriesOf(scene));
    const delivery = deliveries.find((listed) => listed['id'] === id);
    if (delivery?.['successful'] === true) return delivery;
  }
  throw new Error(`The delivery ${String(id)} is not listed as successful.`);
}

async function searchAverages(
  api: Api,
  { organizationId, applicationId, productId }: Scene,
): Promise<Seen['averages']> {
  const hourly = { date_histogram: { field: 'ts', fixed_interval: '1h' } };
  const average = { temperature: { avg: { field: 'data.temperature' } } };
  const { responses } = await api.call<SearchAnswer>(
    'POST',
    `/applications/${organizationId}/${applicationId}/search`,
    {
      ts: { gte: 946_684_800, lte: 4_102_444_800 },
      queries: [{ products: [productId], size: 0, aggs: { hourly: { ...hourly, aggs: average } } }],
    },
  );
  const buckets = responses[0]?.aggregations?.hourly.buckets ?? [];
  return buckets.map((bucket) => ({ hour: new Date(bucket.key).toISOString(), temperature: bucket.temperature.value }));
}

interface SearchAnswer {
  responses: {
    aggregations?: { hourly: { buckets: { key: number; temperature: { value: number | null } }[] } };
  }[];
}

const deliveriesOf = ({ organizationId, applicationId, hookId }: Scene): string =>
  `/applications/${organizationId}/${applicationId}/hooks/${hookId}/deliveries`;

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`The ${what} differ from what was expected.`);
}

/** The parts of a The Things Stack uplink that the demonstration uses. */
interface Uplink {
  end_device_ids: { dev_eui: string };
  received_at: string;
  uplink_message: {
    f_cnt: number;
    frm_payload: string;
    received_at: string;
    decoded_payload?: object;
    f_port?: number;
  };
}

/**
 * The published example of an uplink, which the tests of ingestion read too. The path is relative to `dist/src/demo`.
 */
const file = new URL('../../../../test/data/ingest/the-things-stack-uplink.json', import.meta.url);

/** temperature FLOAT32 21.5, humidity UINT8 55, occupied BOOL true, luminosity FLOAT32 0.5. */
const frame = '0441AC0000 0D37 1001 1C3F000000';

/** Returns two bodies as a network server posts them, and the serial number of their device. */
async function readUplinks(): Promise<{ serial: string; bodies: [string, string] }> {
  const text = await readFile(file, 'utf8');
  const uplink = JSON.parse(text) as Uplink;
  return { serial: uplink.end_device_ids.dev_eui.toLowerCase(), bodies: [text, JSON.stringify(next(uplink))] };
}

/** Returns the device's next uplink, an hour later: a frame on a port, which the product's mappings decode. */
function next(uplink: Uplink): Uplink {
  const { decoded_payload: _, ...message } = uplink.uplink_message;
  return {
    ...uplink,
    received_at: anHourAfter(uplink.received_at),
    uplink_message: {
      ...message,
      f_cnt: message.f_cnt + 1,
      f_port: streamId,
      frm_payload: Buffer.from(frame.replaceAll(' ', ''), 'hex').toString('base64'),
      received_at: anHourAfter(message.received_at),
    },
  };
}

const anHourAfter = (time: string): string => new Date(Date.parse(time) + 3_600_000).toISOString();
