/** A document of the index, as a test looks at it. */
export interface IndexedDocument {
  _id: string;
  _version: number;
  _source: { src: string; ig?: string[] };
  fields: Record<string, unknown[]>;
}

const node = (): string => process.env['OPENSEARCH_URL']!.split(',')[0]!;

const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
  const response = await fetch(`${node()}/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Body;
};

/** What the indices of a test's database are called. */
const patternOf = (databaseUrl: string): string => `${new URL(databaseUrl).pathname.slice(1)}-records-*`;

/** Documents of one page. */
const pageSize = 10_000;

/** All documents of a test's database, in the order of storing, with the fields that are named. */
export const readDocuments = async (
  databaseUrl: string,
  fields: readonly string[] = [],
): Promise<IndexedDocument[]> => {
  await call('POST', `${patternOf(databaseUrl)}/_refresh`);
  const found: (IndexedDocument & { sort: unknown[] })[] = [];
  for (;;) {
    const last = found.at(-1);
    const answer = await call<{ hits: { hits: typeof found } }>('POST', `${patternOf(databaseUrl)}/_search`, {
      size: pageSize,
      version: true,
      docvalue_fields: fields,
      sort: ['seq'],
      ...(last && { search_after: last.sort }),
    });
    found.push(...answer.hits.hits);
    if (answer.hits.hits.length < pageSize) return found;
  }
};

/** How many documents there are. */
export const countDocuments = async (databaseUrl: string): Promise<number> => {
  await call('POST', `${patternOf(databaseUrl)}/_refresh`);
  return (await call<{ count: number }>('GET', `${patternOf(databaseUrl)}/_count`)).count;
};

/** Deletes the indices of a test's database whose names end so, all by default: as a cluster is that has lost them. */
export const deleteIndices = async (databaseUrl: string, end = '*'): Promise<void> => {
  const indices = await call<object>('GET', `${patternOf(databaseUrl)}${end}`);
  for (const index of Object.keys(indices)) await call('DELETE', index);
};
