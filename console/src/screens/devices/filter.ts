import type { Address } from '../../address.js';
import type { DeviceFilterInput } from '../../documents.js';
import { ranges } from '../../time.js';

/** Which devices a list asks for: a text, and a filter. */
export interface Matching {
  readonly q: string | null;
  readonly filter: DeviceFilterInput | null;
}

/** For how long a silent device was not heard, by the name that the address has. */
export const silences = { hour: 'an hour', day: 'a day', week: 'a week' } as const;

const isSilence = (text: string): text is keyof typeof silences => Object.hasOwn(silences, text);

/** The filter of the address. `now` in Unix seconds. */
export const matchingOf = (address: Address, now: number): Matching => {
  const silent = address.get('silent');
  const filter: DeviceFilterInput = {
    ...(address.get('tag') !== '' && { tag: address.get('tag') }),
    ...(address.get('product') !== '' && { productIds: [address.get('product')] }),
    ...(address.get('application') !== '' && { applicationId: address.get('application') }),
    ...(isSilence(silent) && { silentSince: now - ranges[silent] }),
  };
  return { q: address.get('q') || null, filter: Object.keys(filter).length === 0 ? null : filter };
};
