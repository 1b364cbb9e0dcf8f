import { ApiError, type Fault } from '#common/errors.js';
import type { Part, ToolCall } from './tool.js';

/** Arguments that are identifiers, and the type of the things that they identify. */
const types = { applicationId: 'Application', deviceId: 'Device', deviceIds: 'Device', productIds: 'Product' } as const;

/** Maximum number of identifiers that one query looks up. */
const most = 100;

interface Found {
  readonly nodes?: readonly ({ readonly __typename: string } | null)[];
}

/**
 * Checks the identifiers of a call whose answer has fewer items than it names: a filter by an identifier of nothing
 * finds nothing, which would read as if a thing had no alerts, hooks or devices.
 * @throws ApiError NOT_FOUND with the place of each identifier that names nothing
 */
export async function requireKnown(args: object, part: Part, { ask, position }: ToolCall): Promise<void> {
  const named = Object.entries(types)
    .flatMap(([name, type]) => {
      const value = (args as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
      if (value === undefined) return [];
      return typeof value === 'string'
        ? [{ id: value, type, path: name }]
        : value.map((id, index) => ({ id, type, path: `${name}.${index}` }));
    })
    .slice(0, most);
  const devices = named.filter(({ path }) => path.startsWith('deviceIds')).length;
  const hasAll = part.next !== undefined || part.items.length >= Math.max(1, devices);
  if (named.length === 0 || position !== undefined || hasAll) return;
  const { data, errors } = await ask({
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }',
    variables: { ids: named.map(({ id }) => id) },
  });
  // A link to a dashboard may not look things up; its tools refuse unknown identifiers themselves.
  if (errors !== undefined) return;
  const nodes = (data as Found).nodes ?? [];
  const unknown = named.filter(({ type }, index) => nodes[index]?.__typename !== type);
  if (unknown.length === 0) return;
  const faults = unknown.map(
    ({ path, type }): Fault => ({ path, message: `identifies no ${type.toLowerCase()} that you can see` }),
  );
  throw new ApiError('NOT_FOUND', `There is no such ${unknown[0]!.type.toLowerCase()}.`, faults);
}
