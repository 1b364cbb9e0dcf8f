import type { AccountActor, World } from '../support/world.js';
import type { Heard, Wanted } from './subscriber.js';

/** An organization that subscribes, with an application and a linked device. */
export interface LiveWorld {
  owner: AccountActor;
  applicationId: string;
  deviceId: string;
  serial: string;
  /** Address of the application over REST. */
  path: string;
  /** Stores records of the device with these values, in one call. */
  send(...values: object[]): Promise<void>;
  /** The subscription to the application's records. */
  records(variables?: object): Wanted;
}

let count = 0;

/** Registers a device, linked to an application. */
export async function addDevice({
  owner,
  path,
}: Pick<LiveWorld, 'owner' | 'path'>): Promise<{ id: string; serial: string }> {
  const serial = `0a${(++count).toString(16).padStart(6, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  await owner.put(`${path}/devices/${id}`);
  return { id, serial };
}

/** Makes a place in a world. */
export async function buildLiveWorld(world: World): Promise<LiveWorld> {
  const owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain' });
  const path = `/applications/${owner.id}/${applicationId}`;
  const { id: deviceId, serial } = await addDevice({ owner, path });
  return {
    owner,
    applicationId,
    deviceId,
    serial,
    path,
    async send(...values) {
      const records = values.map((data) => ({ serial, data }));
      const post = () => owner.post<{ accepted: number }>(`/organizations/${owner.id}/records`, records);
      let answer = await post();
      // Whose token is being looked up as the database goes away is told so, and tries again.
      while (answer.status === 503) answer = await post();
      if (answer.body.accepted !== values.length) throw new Error(JSON.stringify(answer.body));
    },
    records: (variables = {}) => ({
      query: recordsQuery,
      variables: { organizationId: owner.id, applicationId, ...variables },
    }),
  };
}

const recordsQuery = `subscription ($organizationId: ID!, $applicationId: ID!, $deviceIds: [ID!], $query: JSONObject, $limit: Int) {
  recordReceived(organizationId: $organizationId, applicationId: $applicationId, deviceIds: $deviceIds, query: $query, limit: $limit) {
    missed
    records { id deviceId ts data }
  }
}`;

/** Whether the first event came: from then on nothing goes by untold. */
export const begun = ({ results }: Heard): boolean => results.length > 0;

/** The values of the records that were told. */
export const values = ({ results }: Heard): any[] =>
  results.flatMap(
    ({ data }) => data?.['recordReceived']?.records.map((record: { data: unknown }) => record.data) ?? [],
  );

/** How many records were missed. */
export const missed = ({ results }: Heard): number =>
  results.reduce((sum, { data }) => sum + (data?.['recordReceived']?.missed ?? 0), 0);

/** The code of what ended a subscription, whichever way it came. */
export const codeOf = ({ fault, results }: Heard): string | undefined =>
  fault?.[0]?.extensions?.code ?? (results.at(-1)?.errors?.[0]?.extensions?.['code'] as string | undefined);
