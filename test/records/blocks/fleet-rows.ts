import type { StoredRow } from '#records/blocks/stored-row.js';

/** Start of the day of {@link fleetRows}, in microseconds since 1970: a day of 25 hours in Europe. */
export const dayStart = Date.UTC(2026, 9, 25) * 1000;

/** A fleet that sends at a pace. */
export interface FleetRows {
  devices: number;
  /** Records of each device in the day. */
  perDevice: number;
}

/**
 * Returns the records of a fleet's day as the service stores them, with numbers in the slots 1 (temperature), 2
 * (energy, a counter) and 3 (open, a boolean), and a text in slot 1 (status).
 */
export const fleetRows = ({ devices, perDevice }: FleetRows): StoredRow[] =>
  Array.from({ length: devices * perDevice }, (_, index): StoredRow => {
    const [device, place] = [Math.floor(index / perDevice) + 1, index % perDevice];
    const ts = dayStart + Math.floor((place * 86_400_000) / perDevice) * 1000 + ((index * 7919) % 1000) * 1000;
    const temperature = (1500 + ((index * 7919) % 1709)) / 100;
    const energy = (device * 1000 + place) / 10;
    const isOpen = Math.floor(place / 5) % 2 === 1;
    const status = place % 20 === 19 ? 'error' : 'ok';
    const seq = 1 + place * devices + device + (index % 3);
    return {
      id: idOf(Math.floor(ts / 1000) + 100 + (index % 50), 5_000_000 + seq),
      seq,
      device,
      ts,
      metadata: `{"rssi": ${-60 - (index % 50)}, "provider": "lora"}`,
      data: `{"open": ${isOpen}, "energy": ${energy}, "status": "${status}", "temperature": ${temperature}}`,
      frame: null,
      given: null,
      many: null,
      numbers: [temperature, energy, Number(isOpen)],
      texts: [status],
      ignored: null,
    };
  });

/** Creates an identifier as `newId` lays it out, of one process. */
const idOf = (arrival: number, counter: number): string =>
  `${arrival.toString(16).padStart(12, '0')}7${Math.floor(counter / 2 ** 20)
    .toString(16)
    .padStart(3, '0')}${(0x80_0000 + (counter % 2 ** 20) * 4 + 1).toString(16)}0123456789`;
