import type { Actor, GraphAnswer } from '../support/actor.js';
import type { Answer } from '../support/client.js';
import type { AccountActor } from '../support/world.js';

/** A panel that shows a figure. */
export const figure = {
  id: 'p1',
  kind: 'figure',
  title: 'Temperature',
  x: 0,
  y: 0,
  w: 3,
  h: 4,
  source: { variable: 'data.temperature' },
  aggregate: 'avg',
};

export interface StoredDashboard {
  applicationId: string;
  version: number;
  document: unknown;
  updatedAt: string | null;
  updatedBy: { id: string; username: string } | null;
}

/** Creates an application. */
export const makeApplication = (owner: AccountActor, more: object = {}): Promise<string> =>
  owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold chain', hasDashboard: true, ...more });

/** Reads the dashboard of one of the caller's applications. */
export async function readDashboard(owner: AccountActor, id: string): Promise<StoredDashboard | null> {
  const query = `query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) {
    dashboard { applicationId version document updatedAt updatedBy { id username } } } }`;
  const { body } = await owner.graph(query, { o: owner.id, a: id });
  return body.data!['application'].dashboard as StoredDashboard | null;
}

interface Save {
  owner: AccountActor;
  id: string;
  version: number;
  document: unknown;
}

/** Saves a dashboard. */
export const save = (actor: Actor, { owner, id, version, document }: Save): Promise<Answer<GraphAnswer>> =>
  actor.graph(
    `mutation ($o: ID!, $a: ID!, $v: Int!, $d: JSON!) {
      updateDashboard(organizationId: $o, applicationId: $a, version: $v, document: $d) { version } }`,
    { o: owner.id, a: id, v: version, d: document },
  );

/** Saves a dashboard and returns its version. Throws when the service refuses. */
export async function saved(actor: Actor, values: Save): Promise<number> {
  const { body } = await save(actor, values);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data!['updateDashboard'].version as number;
}
