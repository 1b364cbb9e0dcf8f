import type { LiveRecordsSubscription } from '../../documents.js';

/** A record as it is shown. */
export type LiveRecord = LiveRecordsSubscription['recordReceived']['records'][number];

/** A search's answer, as far as history needs it. */
export interface HistoryAnswer {
  readonly error?: { readonly reason?: string };
  readonly hits?: {
    readonly hits: readonly {
      readonly _id: string;
      readonly _source: {
        readonly ts: number;
        readonly data: Record<string, unknown>;
        readonly device?: { readonly id: string; readonly name?: string | null; readonly serial: string };
      };
    }[];
  };
}

/** The records that a search found, the newest first, in the shape of those that come live. */
export const historyOf = (answer: HistoryAnswer | undefined): LiveRecord[] =>
  (answer?.hits?.hits ?? []).map(({ _id, _source: { ts, data, device } }) => ({
    id: _id,
    ts,
    data,
    device: device === undefined ? null : { id: device.id, name: device.name ?? null, serial: device.serial },
  }));
