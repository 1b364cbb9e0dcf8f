import { readFile } from 'node:fs/promises';
import { streamId } from './scene.js';

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
export async function readUplinks(): Promise<{ serial: string; bodies: [string, string] }> {
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
