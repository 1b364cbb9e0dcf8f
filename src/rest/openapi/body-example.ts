import { record } from './example.js';
import { productId, serial } from './example-id.js';

/** Example bodies: a record, the same record posted at its device's own address, and a search that finds it. */
export const recordExample = { serial, ...record };
export const deviceRecordExample = record;
export const searchExample = {
  ts: { gte: 1_794_900_000, lte: 1_795_000_001 },
  queries: [
    {
      products: [productId],
      size: 1,
      sort: [{ ts: 'desc' }],
      query: { range: { 'data.temperature': { gte: 20 } } },
      aggs: { mean: { avg: { field: 'data.temperature' } } },
    },
  ],
};

/** Messages of network servers about the example device. */
export const theThingsStackExample = {
  end_device_ids: { device_id: 'pump-7', application_ids: { application_id: 'pumps' }, dev_eui: '70B3D57ED005ABCD' },
  received_at: '2026-11-20T12:00:00.250Z',
  uplink_message: {
    session_key_id: 'AXA50tHUGUucuzS/bCGMNw==',
    f_cnt: 1,
    f_port: 1,
    frm_payload: 'BEGsAAA=',
    decoded_payload: { temperature: 21.5 },
    rx_metadata: [{ gateway_ids: { gateway_id: 'roof' }, rssi: -90, snr: 7.5 }],
  },
};
export const chirpStackExample = {
  deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
  time: '2026-11-20T12:00:00.250Z',
  deviceInfo: { deviceName: 'Pump 7', devEui: serial },
  fCnt: 1,
  fPort: 1,
  data: 'BEGsAAA=',
  rxInfo: [{ gatewayId: '0016c001f153a14c', rssi: -90, snr: 7.5 }],
};
export const sigfoxExample = { device: serial, data: '0441AC0000', time: '1795000000', seqNumber: '1', rssi: '-90' };
export const thingsBoardExample = [{ ts: 1_795_000_000_250, values: { temperature: 21.5 } }];

/** Example files of devices and of past records. */
export const deviceFileExample = `serial,name,tags,location\n${serial},Pump 7,north;well,59.8586 17.6389\n`;
export const recordLineExample = JSON.stringify({ ...recordExample, ts: 1_794_950_000 });
export const recordFileExample = `serial,ts,temperature,metadata.rssi\n${serial},1794950000.25,21.5,-90\n`;
