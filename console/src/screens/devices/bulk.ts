import {
  type ChangedDevicesFragment,
  DeleteDevicesDocument,
  LinkDevicesDocument,
  TagDevicesDocument,
  UnlinkDevicesDocument,
  UntagDevicesDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import type { Matching } from './filter.js';

/** A change to many devices. */
export type Change =
  | { readonly kind: 'tag' | 'untag'; readonly tags: string[] }
  | { readonly kind: 'link' | 'unlink'; readonly applicationId: string }
  | { readonly kind: 'delete' };

/** Devices by their identifiers, or all that match a filter. */
export type Target = { readonly ids: readonly string[] } | Matching;

/** Returns the arguments that select devices. */
export const selectionOf = (target: Target) => ({
  organizationId: organizationId.value,
  ...('ids' in target
    ? { deviceIds: [...target.ids] }
    : { q: target.q, filter: target.filter ?? (target.q ? null : {}) }),
});

/**
 * Changes many devices at once. For more than 1,000 the service starts a job, which the result names. `dryRun` only
 * counts them.
 * @throws GraphError when the service refuses. When some devices are blocked, none is changed.
 */
export async function changeDevices(target: Target, change: Change, dryRun = false): Promise<ChangedDevicesFragment> {
  const names = { ...selectionOf(target), dryRun };
  switch (change.kind) {
    case 'tag':
      return (await ask(TagDevicesDocument, { ...names, tags: change.tags })).tagDevices;
    case 'untag':
      return (await ask(UntagDevicesDocument, { ...names, tags: change.tags })).untagDevices;
    case 'link':
      return (await ask(LinkDevicesDocument, { ...names, applicationId: change.applicationId })).linkDevices;
    case 'unlink':
      return (await ask(UnlinkDevicesDocument, { ...names, applicationId: change.applicationId })).unlinkDevices;
    case 'delete':
      return (await ask(DeleteDevicesDocument, names)).deleteDevices;
  }
}
