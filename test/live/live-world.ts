import type { AccountActor, World } from '../support/world.js';
import type { Heard, Wanted } from './subscriber.js';

/** A subscribing organization with an application and a linked device. */
export interface LiveWorld {
  owner: AccountActor;
  applicationId: string;
  deviceId: string;
  serial: string;
  /** REST path of the application. */
  path: string;
  /** Stores records of the device with these values, in one call. */
  send(...values: object[]): Promise<void>;
  /** The subscription to the application's records. */
  records(variables?: object): Wanted;
}

let count = 0;

/** Registers a device and links it to an application. */
export async function addDevice({
  owner,
  path,
}: Pick<LiveWorld, 'owner' | 'path'>): Promise<{ id: string; serial: string }> {
  const serial = `0a${(++count).toString(16).padStart(6, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  await owner.put(`${path}/devices/${id}`);
  return { id, serial };
}

/** Creates a place in a world. */
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
      // A caller whose token lookup hits the database outage receives an error and tries again.
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

/** Whether the first event came, after which no record is missed silently. */
export const begun = ({ results }: Heard): boolean => results.length > 0;

/** The values of the received records. */
export const values = ({ results }: Heard): any[] =>
  results.flatMap(
    ({ data }) => data?.['recordReceived']?.records.map((record: { data: unknown }) => record.data) ?? [],
  );

/** The number of missed records. */
export const missed = ({ results }: Heard): number =>
  results.reduce((sum, { data }) => sum + (data?.['recordReceived']?.missed ?? 0), 0);

/** The code of the error that ended a subscription, over either transport. */
export const codeOf = ({ fault, results }: Heard): string | undefined =>
  fault?.[0]?.extensions?.code ?? (results.at(-1)?.errors?.[0]?.extensions?.['code'] as string | undefined);
