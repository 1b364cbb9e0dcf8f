import {
  ChartDocument,
  type ChartQuery,
  FleetDocument,
  GaugesDocument,
  type TypedDocumentString,
} from './documents.js';

/*
 * A dashboard's data by plain `fetch`. documents.ts is made from docs/graphql.md: a misspelt field does not compile.
 */

/** Where the graph is, and who asks. */
export interface Access {
  url: string;
  token: string;
}

/** One screen: how many devices there are, their newest values, and a line for each. */
export interface Dashboard {
  devices: number;
  gauges: { device: string; name: string; value: string; unit: string }[];
  lines: { label: string; points: [ts: Date, value: number][] }[];
}

/** Sends a document and answers its data; throws what the graph refuses. */
export async function ask<Answer, Variables>(
  { url, token }: Access,
  document: TypedDocumentString<Answer, Variables>,
  variables: Variables,
): Promise<Answer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  const { data, errors } = (await response.json()) as { data?: Answer | null; errors?: { message: string }[] };
  if (errors !== undefined || data == null) throw new Error(errors?.map(({ message }) => message).join(' '));
  return data;
}

/** Fetches the screen of an application. */
export async function dashboard(place: Access, organizationId: string, applicationId: string): Promise<Dashboard> {
  const [{ devices }, { latest }, { series }] = await Promise.all([
    ask(place, FleetDocument, { organizationId }),
    ask(place, GaugesDocument, { organizationId, applicationId }),
    ask(place, ChartDocument, { organizationId, applicationId }),
  ]);
  return {
    devices: devices?.totalCount ?? 0,
    gauges: (latest ?? []).flatMap(({ device, values }) =>
      values.map(({ name, unit, typed }) => ({
        device: device?.name ?? '',
        name,
        unit: unit ?? '',
        value: 'number' in typed ? typed.number.toFixed(1) : 'boolean' in typed ? (typed.boolean ? 'on' : 'off') : '',
      })),
    ),
    lines: (series ?? []).map(toLine),
  };
}

const toLine = ({
  device,
  name,
  ts,
  values,
}: NonNullable<ChartQuery['series']>[number]): Dashboard['lines'][number] => ({
  label: `${device?.name ?? device?.serial ?? ''} ${name}`,
  points: ts.map((seconds, index) => [new Date(seconds * 1000), values[index]!]),
});
