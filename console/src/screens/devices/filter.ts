import type { DeviceFilterInput } from '../../api/documents.js';
import type { Address } from '../../browser/address.js';
import { lengths } from '../../format/range.js';

/** The filters of a list of devices. */
export interface Matching {
  readonly q: string | null;
  readonly filter: DeviceFilterInput | null;
}

/** Time without records that makes a device silent, by its name in the address. */
export const silences = { hour: 'an hour', day: 'a day', week: 'a week' } as const;

const isSilence = (text: string): text is keyof typeof silences => Object.hasOwn(silences, text);

/**
 * Reads the filter from the address.
 * @param now Unix seconds.
 */
export const matchingOf = (address: Address, now: number): Matching => {
  const silent = address.get('silent');
  const filter: DeviceFilterInput = {
    ...(address.get('tag') !== '' && { tag: address.get('tag') }),
    ...(address.get('product') !== '' && { productIds: [address.get('product')] }),
    ...(address.get('application') !== '' && { applicationId: address.get('application') }),
    ...(isSilence(silent) && { silentSince: now - lengths[silent] }),
  };
  return { q: address.get('q') || null, filter: Object.keys(filter).length === 0 ? null : filter };
};
