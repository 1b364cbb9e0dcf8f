import {
  DeleteDeviceDocument,
  LinkDeviceDocument,
  MatchingDevicesDocument,
  type MatchingDevicesQuery,
  UnlinkDeviceDocument,
  UpdateDeviceDocument,
} from '../../documents.js';
import { ask, GraphError } from '../../graph.js';
import { organizationId } from '../../session.js';
import type { Matching } from './filter.js';

type Device = NonNullable<MatchingDevicesQuery['devices']>['items'][number];

/** What is done to each of many devices. */
export type Change =
  | { readonly kind: 'tag'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly kind: 'link' | 'unlink'; readonly applicationId: string }
  | { readonly kind: 'delete' };

/** Devices by their ids, or all that match. */
export type Target = { readonly ids: readonly string[] } | Matching;

/** Changes at once. The service counts each against the rate of the token. */
const atOnce = 4;

/**
 * Carries a change out for many devices, one by one, and says after each how many are done.
 * @throws GraphError where some could not be changed: how many, and why the first was refused.
 */
export async function changeAll(
  target: Target,
  change: Change,
  told: (done: number, all: number) => void,
): Promise<void> {
  const devices = await found(target);
  let [done, refused] = [0, 0];
  let first: GraphError | undefined;
  const next = devices.values();
  const work = async () => {
    for (const device of next) {
      try {
        await patiently(() => changeOne(device, change));
      } catch (error) {
        if (!(error instanceof GraphError) || error.code === 'UNREACHABLE') throw error;
        refused++;
        first ??= error;
      }
      told(++done, devices.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (first !== undefined)
    throw new GraphError(
      `${refused.toLocaleString()} of ${devices.length.toLocaleString()} devices were not changed. ${first.message}`,
      first.code,
      first.requestId,
    );
}

/** All devices that are meant, before any of them is changed. */
async function found(target: Target): Promise<Device[]> {
  const which = 'ids' in target ? { ids: [...target.ids] } : target;
  const devices: Device[] = [];
  for (let page = 1; ; page++) {
    const variables = { organizationId: organizationId.value, page, ...which };
    const { items } = (await ask(MatchingDevicesDocument, variables)).devices;
    devices.push(...items);
    if (items.length < 500) return devices;
  }
}

const changeOne = (device: Device, change: Change): Promise<unknown> => {
  const names = { organizationId: organizationId.value, deviceId: device.id };
  switch (change.kind) {
    case 'tag': {
      const tags = [...new Set([...device.tags, ...change.add])].filter((tag) => !change.remove.includes(tag));
      return ask(UpdateDeviceDocument, { ...names, ...device, tags });
    }
    case 'link':
      return ask(LinkDeviceDocument, { ...names, applicationId: change.applicationId });
    case 'unlink':
      return ask(UnlinkDeviceDocument, { ...names, applicationId: change.applicationId });
    case 'delete':
      return ask(DeleteDeviceDocument, names);
  }
};

/** Waits where the token has asked too much, and tries again. */
const patiently = async (work: () => Promise<unknown>): Promise<void> => {
  for (;;)
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof GraphError) || error.code !== 'RATE_LIMITED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
};
