import type { PoolClient } from 'pg';
import type { Past } from '#records/derive/past.js';
import type { PlainObject } from '#records/item.js';
import { lockLines } from '#records/postgres/earlier/newest.js';
import { noteChanged } from '#records/postgres/earlier/redecode.js';
import type { WalkedLine } from '#records/postgres/earlier/walk.js';
import type { ProductShape } from '#records/scope/product-shape.js';
import type { Content } from '../rows.js';
import type { StoredDocument } from '../stored-document.js';
import type { ClusterLogOptions } from './options.js';
import { createReader, rowOf } from './recompute.js';

/** The lines of the records of a page. */
export interface PageLines {
  /** Returns the values of a device before its next record. */
  past(deviceId: string): Past;
  /** Adds the next record of a line. */
  add(document: StoredDocument, data: PlainObject): void;
  /** Notes that measured values have changed. */
  note(tx: PoolClient, changes: readonly Content[], isOpen: boolean): Promise<void>;
}

/** Reads the values of devices before the first of their records, if formulas read them. */
export const readLines = async (
  options: Pick<ClusterLogOptions, 'client' | 'names'>,
  product: { organizationId: string; productId: string; shape: ProductShape },
  documents: readonly StoredDocument[],
): Promise<PageLines | undefined> => {
  const earlier = product.shape.derivation?.earlier;
  if (earlier === undefined) return undefined;
  const shape = product.shape as WalkedLine['shape'];
  const pasts = new Map<string, Past>();
  for (const { id, deviceId, us } of documents)
    if (!pasts.has(deviceId)) {
      const reader = createReader(options, { ...product, deviceId, shape });
      pasts.set(deviceId, await reader.past({ ts: us / 1e6, id }));
    }
  return {
    past: (deviceId) => pasts.get(deviceId)!,
    add: ({ id, deviceId, us }, data) => pasts.get(deviceId)!.add({ ts: us / 1e6, id }, earlier.measured(data)),
    async note(tx, contents, isOpen) {
      const changes = contents.map(({ document: { id }, metadata, data, given }) => ({
        id,
        metadata,
        data,
        given,
        ts: '',
        seconds: 0,
      }));
      const { productId } = product;
      const devices = [...new Set(contents.map(({ document }) => document.deviceId))];
      await lockLines(
        tx,
        devices.map((deviceId) => ({ deviceId, productId })),
      );
      const rows = documents.map((document) => rowOf(document, shape));
      await noteChanged(tx, product, { rows, changes, earlier, isOpen });
    },
  };
};
