import { describe, expect, it } from '@jest/globals';
import { documentOf, ofRestAlone, operationNames, useMatrix } from '../auth/matrix.js';
import { newDevice, newSite, operations, type Things, type Values } from '../auth/operations.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
const matrix = useMatrix();

/** The mutations of the graph. */
const mutations = Object.keys(operations).filter((name) => name.startsWith('Mutation.') && !ofRestAlone.includes(name));

/** Whether devices speak by an operation, as when they send records. The audit log does not contain that. */
const isOfDevices = (name: string) => ['ingesters', 'deviceIngesters'].includes(operations[name]!.access);

const audited = mutations.filter((name) => !isOfDevices(name));

/** Arguments that succeed, for operations whose usual example is a conflict. */
const successes: Record<string, (things: Things) => Promise<Values>> = {
  'Mutation.deleteDevice': async (things) => ({ organizationId: things.owner.id, deviceId: await newDevice(things) }),
  'Mutation.deleteSite': async (things) => ({ organizationId: things.owner.id, siteId: await newSite(things) }),
  'Mutation.applyFileImport': async (things) => ({
    organizationId: things.owner.id,
    importId: await checkedImport(things),
  }),
};

/** Creates an import whose dry run has ended. */
async function checkedImport({ owner, fresh }: Things): Promise<string> {
  const at = `/organizations/${owner.id}/imports`;
  const headers = { 'content-type': 'text/csv' };
  const body = `serial\n${Buffer.from(fresh()).toString('hex').slice(-32)}`;
  const made = await owner.request<{ id: string; state: string }>('POST', `${at}/devices`, { headers, body });
  let { state } = made.body;
  while (state === 'checking') state = (await owner.get<{ state: string }>(`${at}/${made.body.id}`)).body.state;
  return made.body.id;
}

interface Event {
  action: string;
  outcome: string;
  organizationId: string;
  actorKind: string;
  actorId: string;
  targetKind: string | null;
  address: string | null;
}

/** The events of a request. */
const eventsOf = async (answer: { headers: Headers }): Promise<Event[]> => {
  const { rows } = await world.pool.query<Event>(
    `select action, outcome, organization_id as "organizationId", actor_kind as "actorKind", actor_id as "actorId",
            target_kind as "targetKind", address
       from audit_event where request_id = $1 order by id`,
    [answer.headers.get('x-request-id')],
  );
  return rows;
};

describe('the audit log', () => {
  it('knows every mutation of the schema', () => {
    const ofSchema = operationNames(matrix.schema).filter((name) => name.startsWith('Mutation.'));
    expect(mutations.toSorted()).toEqual(ofSchema.sort());
  });

  it.each(audited)('has one event of %s that succeeds', async (name) => {
    const values = successes[name] ?? operations[name]!.values;
    const who = operations[name]!.access === 'provisioners' ? 'provisioning token' : 'owner';
    const answer = await matrix.actors[who].graph(documentOf(matrix.schema, name), await values(matrix.things));
    expect(answer.body.errors).toBeUndefined();
    const events = await eventsOf(answer);
    expect(events).toEqual([
      {
        action: name.replace('Mutation.', ''),
        outcome: 'success',
        organizationId: matrix.things.owner.id,
        actorKind: 'token',
        actorId: expect.any(String),
        targetKind: expect.any(String),
        address: expect.stringContaining('127.0.0.1'),
      },
    ]);
  });

  it.each(audited)('has no success of %s that is refused', async (name) => {
    const values = await operations[name]!.values(matrix.things);
    const answer = await matrix.actors['read token'].graph(documentOf(matrix.schema, name), values);
    expect(answer.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await eventsOf(answer)).toEqual([expect.objectContaining({ outcome: 'refused', action: name.slice(9) })]);
    const other = await matrix.actors['other organization'].graph(documentOf(matrix.schema, name), values);
    // Both operations act on the caller's own account.
    if (name === 'Mutation.updateAccount' || name === 'Mutation.revokeMySessions') return;
    expect(other.body.errors).toHaveLength(1);
    expect((await eventsOf(other)).filter(({ outcome }) => outcome === 'success')).toEqual([]);
  });

  it.each(mutations.filter(isOfDevices))('has no event of %s', async (name) => {
    const answer = await matrix.actors.owner.graph(
      documentOf(matrix.schema, name),
      await operations[name]!.values(matrix.things),
    );
    expect(answer.body.errors).toBeUndefined();
    expect(await eventsOf(answer)).toEqual([]);
  });
});
