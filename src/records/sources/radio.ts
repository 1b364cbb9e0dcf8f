import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '../item.js';
import { numberIn, objectIn, textIn } from './source.js';

/** A gateway that received an uplink. */
interface Reception {
  id: string | null;
  rssi: number | null;
  snr: number | null;
}

/**
 * Describes how an uplink was received: `rssi` and `snr` of the gateway with the best snr, then rssi; `gateways`, their
 * number; and `gatewayIds`, `gatewayRssi` and `gatewaySnr`, one entry per gateway, the best first. These servers omit
 * zeros, so if only one of rssi and snr is present, the other is 0.
 * @param idOf returns the identifier of a gateway
 */
export const receptionOf = (gateways: PlainJson | undefined, idOf: (gateway: PlainObject) => PlainJson | undefined) => {
  if (!Array.isArray(gateways) || gateways.length === 0) return {};
  const received = gateways
    .map(objectIn)
    .map((gateway): Reception => {
      const [rssi, snr] = [numberIn(gateway.rssi), numberIn(gateway.snr)];
      const measured = rssi !== undefined || snr !== undefined;
      return {
        id: textIn(idOf(gateway)) ?? null,
        rssi: measured ? (rssi ?? 0) : null,
        snr: measured ? (snr ?? 0) : null,
      };
    })
    .sort((a, b) => falling(a.snr, b.snr) || falling(a.rssi, b.rssi));
  const [best] = received;
  return {
    ...(best?.rssi != null && { rssi: best.rssi, snr: best.snr }),
    gateways: received.length,
    ...(received.some(({ id }) => id !== null) && {
      gatewayIds: received.map(({ id }) => id),
      gatewayRssi: received.map(({ rssi }) => rssi),
      gatewaySnr: received.map(({ snr }) => snr),
    }),
  };
};

const falling = (a: number | null, b: number | null): number =>
  a === b ? 0 : (b ?? Number.NEGATIVE_INFINITY) - (a ?? Number.NEGATIVE_INFINITY);

/** Parameters of a modulation, in Hz and bit/s. */
export interface Modulation {
  lora?: { spreadingFactor: PlainJson | undefined; bandwidth: PlainJson | undefined };
  fsk?: { bitRate: PlainJson | undefined };
  lrFhss?: { width: PlainJson | undefined };
}

/**
 * Returns the name of a data rate: `SF7BW125` (LoRa: spreading factor, and bandwidth in kHz), `FSK50` (kbit/s),
 * `LR-FHSS137` (width of the channel in kHz). Empty for an unknown modulation.
 */
export const dataRateOf = ({ lora, fsk, lrFhss }: Modulation): { dataRate?: string } => {
  const kilo = (value: PlainJson | undefined) => (numberIn(value) ?? 0) / 1000;
  if (lora) return { dataRate: `SF${numberIn(lora.spreadingFactor) ?? 0}BW${kilo(lora.bandwidth)}` };
  if (fsk) return { dataRate: `FSK${kilo(fsk.bitRate)}` };
  return lrFhss ? { dataRate: `LR-FHSS${kilo(lrFhss.width)}` } : {};
};

/** Returns `frequency` in Hz, if known. */
export const frequencyOf = (value: PlainJson | undefined): { frequency?: number } => {
  const frequency = numberIn(value);
  return frequency === undefined ? {} : { frequency };
};
