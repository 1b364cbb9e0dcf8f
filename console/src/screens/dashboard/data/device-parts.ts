import type { Choice } from '../document.js';
import type { Answer, Devices } from './answer.js';

/* Parts of the request that read devices. A person's part is a list of the organization's devices. A link may read
   devices through its application alone, or one by one. */

/** Devices that a part reads, with the fields that it asks of each. */
export interface DevicePart {
  readonly alias: string;
  readonly choice: Choice;
  readonly limit: number;
}

/** The means by which a caller reads devices: as a person or a token, or as a link. */
export interface DeviceParts {
  /** Number of aliases that a part has. */
  count(choice: Choice): number;
  /** Whether a part takes the application as a variable. */
  readonly takesApplication: boolean;
  declare(part: DevicePart): string;
  text(part: DevicePart, fields: string): string;
  variables(part: DevicePart, applicationId: string): Record<string, unknown>;
  read<Device>(answer: Answer, part: DevicePart): Devices<Device>;
}

interface Page<Device> {
  readonly items: readonly Device[];
  readonly totalCount: number | null;
}

/** Returns the filter of the devices of a choice. */
export const filterOf = ({ devices, tag, product, site }: Choice) => ({
  ...(devices !== undefined && { ids: devices }),
  ...(tag !== undefined && { tag }),
  ...(product !== undefined && { productIds: [product] }),
  ...(site !== undefined && { siteId: site }),
});

const partOf = ({ data, refusals }: Answer, alias: string): unknown => {
  const refusal = refusals.get(alias);
  if (refusal !== undefined) throw refusal;
  return data[alias];
};

const devicesOf = <Device>({ items, totalCount }: Page<Device>): Devices<Device> => ({
  items,
  total: totalCount ?? items.length,
});

/** Reads devices as a person or a token does. */
export const listedDevices: DeviceParts = {
  count: () => 1,
  takesApplication: false,
  declare: ({ alias }) => `$${alias}f: DeviceFilterInput`,
  text: ({ alias, limit }, fields) =>
    `${alias}: devices(organizationId: $organizationId, filter: $${alias}f, limit: ${limit}, sort: "name") { totalCount items { ${fields} } }`,
  variables: ({ alias, choice }, applicationId) => ({ [`${alias}f`]: { applicationId, ...filterOf(choice) } }),
  read: <Device>(answer: Answer, { alias }: DevicePart) => devicesOf(partOf(answer, alias) as Page<Device>),
};

const partAlias = (alias: string, index: number): string => `${alias}_${index}`;

/** Reads devices as a link does. */
export const linkedDevices: DeviceParts = {
  count: ({ devices }) => devices?.length ?? 1,
  takesApplication: true,
  declare: ({ alias, choice: { devices } }) =>
    devices === undefined
      ? `$${alias}f: DeviceFilterInput`
      : devices.map((_, index) => `$${partAlias(alias, index)}: ID!`).join(', '),
  text: ({ alias, limit, choice: { devices } }, fields) =>
    devices === undefined
      ? `${alias}: application(organizationId: $organizationId, applicationId: $applicationId) { devices(filter: $${alias}f, limit: ${limit}, sort: "name") { totalCount items { ${fields} } } }`
      : devices
          .map((_, index) => partAlias(alias, index))
          .map((own) => `${own}: device(organizationId: $organizationId, deviceId: $${own}) { ${fields} }`)
          .join('\n'),
  variables: ({ alias, choice }) =>
    choice.devices === undefined
      ? { [`${alias}f`]: filterOf(choice) }
      : Object.fromEntries(choice.devices.map((id, index) => [partAlias(alias, index), id])),
  read: <Device>(answer: Answer, { alias, choice: { devices } }: DevicePart) => {
    if (devices === undefined) return devicesOf((partOf(answer, alias) as { devices: Page<Device> }).devices);
    const items = devices.flatMap((_, index) => {
      const own = partAlias(alias, index);
      // Leaves out a device that was deleted or removed from the application, as a list would.
      return answer.refusals.get(own)?.code === 'NOT_FOUND' ? [] : [partOf(answer, own) as Device];
    });
    return { items, total: items.length };
  },
};
