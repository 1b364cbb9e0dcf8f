import { expect } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import type { AccountActor } from '../support/world.js';

/** Calls the graph; `$o` is the organization. */
export const call = async (owner: AccountActor, text: string, variables: object = {}): Promise<GraphAnswer> =>
  (await owner.graph(text, { o: owner.id, ...variables })).body;

/** Returns the answer of the field `answer`, which must have no errors. */
export async function ask<Answer>(owner: AccountActor, text: string, variables: object = {}): Promise<Answer> {
  const { data, errors } = await call(owner, text, variables);
  expect(errors).toBeUndefined();
  return data!['answer'] as Answer;
}

/** Creates a site. */
export const newSite = (owner: AccountActor, name: string, parentId: string | null = null): Promise<string> =>
  owner.make(`/organizations/${owner.id}/sites`, { name, ...(parentId !== null && { parentId }) });

/** Creates sites one below the other. Returns their identifiers, the top first. */
export async function newChain(owner: AccountActor, levels: number): Promise<string[]> {
  const chain: string[] = [];
  for (let level = 1; level <= levels; level++) chain.push(await newSite(owner, `L${level}`, chain.at(-1) ?? null));
  return chain;
}

/** Moves devices to a site over REST. */
export const move = (owner: AccountActor, deviceIds: string[], siteId: string | null, at?: number) =>
  owner.put(`/organizations/${owner.id}/device-sites`, { deviceIds, siteId, ...(at !== undefined && { at }) });

/** An outcome of putSites. */
export interface Outcome {
  status: string;
  id: string | null;
  error: { code: string; errors: { path: string }[] } | null;
}

/** Puts sites by their keys. */
export const putSites = async (owner: AccountActor, sites: object[], dryRun = false): Promise<Outcome[]> => {
  const answer = await ask<{ results: Outcome[] }>(
    owner,
    `mutation ($o: ID!, $sites: [SiteInput!]!, $dryRun: Boolean) { answer: putSites(organizationId: $o, sites: $sites, dryRun: $dryRun) {
       results { status id error { code errors { path } } } } }`,
    { sites, dryRun },
  );
  return answer.results;
};

/** Returns the tree as a path of names for each site, in the order of the names. */
export async function tree(owner: AccountActor): Promise<string[]> {
  const { items } = await ask<{ items: { id: string; name: string; path: string[] }[] }>(
    owner,
    'query ($o: ID!) { answer: sites(organizationId: $o, limit: 1000) { items { id name path } } }',
  );
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return items.map(({ path }) => path.map((id) => names.get(id)).join('/')).sort();
}
