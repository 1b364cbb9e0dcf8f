import { daily, noise } from './noise.js';

/** The content of a device's record: values, or a frame that its product's mappings decode. */
export type Sent = { data: Record<string, number | boolean> } | { frame: object };

/** A kind of device: its product, and the data that a device sends at a time (Unix seconds). */
export interface DeviceKind {
  product: { name: string; version: string; variables: object[] };
  /**
   * @param leftOpenFor seconds for which the door of a cold room has been left open by mistake; 0 if somebody has just
   *   closed it. Without it, people open the door at times.
   * @param setPoint temperature that somebody has set for a cold room
   */
  send(device: number, at: number, leftOpenFor?: number, setPoint?: number): Sent;
}

export interface FleetDevice {
  /** Number of the device, from 1. */
  number: number;
  serial: string;
  name: string;
  kind: DeviceKind;
  tags: string[];
  location: { lat: number; lon: number };
}

/** The data stream that water meters send. */
const stream = { streamId: 3, streamType: 'RAW' } as const;

const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));

/** Temperatures that cold rooms hold unless somebody sets another one, in degrees Celsius. */
export const coolerSetPoint = 4;
export const freezerSetPoint = -18;

/** Cold rooms: freezers at -18 °C and coolers at 4 °C. An open door warms them. */
const coldRoom: DeviceKind = {
  product: {
    name: 'Demo cold room',
    version: '2.1',
    variables: [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'humidity', unit: '%', type: 'UINT8' },
      { name: 'battery', unit: 'V', type: 'FLOAT32' },
      { name: 'door', type: 'BOOL' },
    ],
  },
  send(device, at, leftOpenFor, setPoint) {
    const door = leftOpenFor === undefined ? noise(device, at / 1800) > 0.93 : leftOpenFor > 0;
    // A short opening warms the room by 5 degrees; a door left open, by 10 within an hour.
    const warmth = leftOpenFor ? Math.min(10, 5 + leftOpenFor / 720) : door ? 5 : 0;
    const target = setPoint ?? (device % 3 === 0 ? coolerSetPoint : freezerSetPoint);
    const cycle = Math.sin(at / 2700 + device) * 0.7;
    const temperature = target + cycle + daily(at, 14) * 0.8 + warmth + noise(device, at) * 0.5;
    const humidity = Math.round(62 + daily(at, 5) * 8 + noise(device + 1, at) * 4);
    return {
      data: {
        temperature: rounded(temperature),
        humidity,
        battery: rounded(3.6 - (device % 7) * 0.06 - (at % 3e6) / 1e7, 3),
        door,
      },
    };
  },
};

/** Air stations in offices. Carbon dioxide rises during working hours. */
const airStation: DeviceKind = {
  product: {
    name: 'Demo air station',
    version: '1.4',
    variables: [
      { name: 'temperature', unit: '°C', type: 'FLOAT32' },
      { name: 'co2', unit: 'ppm', type: 'UINT16' },
      { name: 'pressure', unit: 'hPa', type: 'FLOAT32' },
    ],
  },
  send(device, at) {
    const works = ((Math.floor(at / 86_400) + 3) % 7 < 5 ? 1 : 0.1) * Math.max(0, daily(at, 13));
    return {
      data: {
        temperature: rounded(20.5 + daily(at, 15) * 1.8 + (device % 5) * 0.3 + noise(device, at) * 0.3),
        co2: Math.round(430 + works * (420 + (device % 4) * 90) + noise(device, at) * 30),
        pressure: rounded(1012 + Math.sin(at / 150_000) * 9 + (device % 6) + noise(device, at) * 0.4),
      },
    };
  },
};

/**
 * Water meters, which send frames: litres as UINT32, litres a minute as FLOAT32, a leak as BOOL. A few frames arrive
 * truncated.
 */
const waterMeter: DeviceKind = {
  product: {
    name: 'Demo water meter',
    version: '3.0',
    variables: [
      { name: 'volume', unit: 'l', type: 'UINT32', mappings: [{ ...stream, varNumber: 1 }] },
      { name: 'flow', unit: 'l/min', type: 'FLOAT32', mappings: [{ ...stream, varNumber: 2 }] },
      { name: 'leak', type: 'BOOL', mappings: [{ ...stream, varNumber: 3 }] },
    ],
  },
  send(device, at) {
    const bytes = Buffer.alloc(9);
    const flow =
      Math.max(0, daily(at, 8) + daily(at * 2, 10) * 0.6) * (6 + (device % 4) * 3) * (0.7 + noise(device, at) * 0.5);
    bytes.writeUInt32BE(Math.floor((at - 1_700_000_000) / 40) + device * 31_337);
    bytes.writeFloatBE(rounded(flow), 4);
    bytes.writeUInt8(noise(device, at / 43_200) > 0.97 ? 1 : 0, 8);
    const isCut = noise(device + 7, at) > 0.985;
    return { frame: { ...stream, payload: bytes.toString('hex', 0, isCut ? 6 : 9), encoding: 'hex' } };
  },
};

/** Returns the energy that a meter has counted since 2023-11-14, in kilowatt-hours. Buildings use more by day. */
export const energyOf = (device: number, at: number): number => {
  const hours = (at - 1_700_000_000) / 3600;
  return (5 + (device % 4)) * hours - 12 * daily(at, 0) + 40;
};

/** Energy meters, which send their counter. */
export const energyMeter: DeviceKind = {
  product: {
    name: 'Demo energy meter',
    version: '1.0',
    variables: [{ name: 'energy', unit: 'kWh', type: 'FLOAT32' }],
  },
  send: (device, at) => ({ data: { energy: rounded(energyOf(device, at)) } }),
};

/** Kinds of devices, in the order of the fleet. */
export const kinds = { coldRoom, airStation, waterMeter, energyMeter } as const;
