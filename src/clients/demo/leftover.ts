import type { Api } from './api.js';

/** A thing as a list shows it. */
export interface Named {
  id: string;
  name?: string;
  serial?: string;
}

type Kind = 'applications' | 'devices' | 'products' | 'sites' | 'teams';

/** Finds things of an organization by a search text and a condition. */
export const findNamed = async (
  api: Api,
  organizationId: string,
  kind: Kind,
  q: string,
  isMeant: (thing: Named) => boolean,
): Promise<Named[]> => {
  const path = `/organizations/${organizationId}/${kind}?limit=1000&q=${encodeURIComponent(q)}`;
  return (await api.call<Named[]>('GET', path)).filter(isMeant);
};

/** Deletes what {@link findNamed} finds; applications are unlinked from their devices first. Returns the number. */
export async function deleteNamed(...named: Parameters<typeof findNamed>): Promise<number> {
  const [api, organizationId, kind] = named;
  const found = await findNamed(...named);
  for (const { id } of found) {
    const path = `/${kind}/${organizationId}/${id}`;
    if (kind === 'applications')
      for (const device of await api.call<Named[]>('GET', `${path}/devices?limit=1000`))
        await api.call('DELETE', `${path}/devices/${device.id}`);
    await api.call('DELETE', path);
  }
  return found.length;
}

/** Returns the condition that a thing has the name of one of these. */
export const isNamedAs =
  (...things: readonly { name: string }[]) =>
  ({ name }: Named): boolean =>
    things.some((each) => each.name === name);
