import type { LiveRecordsSubscription } from '../../api/documents.js';

/** A record as the screen shows it. */
export type LiveRecord = LiveRecordsSubscription['recordReceived']['records'][number];

/** The parts of a search's answer that the history needs. */
export interface HistoryAnswer {
  readonly error?: { readonly reason?: string };
  readonly hits?: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _source: {
        readonly ts: number;
        readonly data: Record<string, unknown>;
        readonly device?: {
          readonly id: string;
          readonly name?: string | null;
          readonly serial: string;
          readonly product?: { readonly id: string } | null;
        };
      };
    }[];
  };
}

/** Converts the records that a search found, the newest first, to the form of live records. */
export const historyOf = (answer: HistoryAnswer | undefined): LiveRecord[] =>
  (answer?.hits?.hits ?? []).map(({ _id, _source: { ts, data, device } }) => ({
    id: _id,
    ts,
    data,
    device:
      device === undefined
        ? null
        : { id: device.id, name: device.name ?? null, serial: device.serial, product: device.product ?? null },
  }));
