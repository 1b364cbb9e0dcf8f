/** The parts of a document that tests read. */
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

/** Returns the pattern of the index names of a test's database. */
const patternOf = (databaseUrl: string): string => `${new URL(databaseUrl).pathname.slice(1)}-records-*`;

/** Documents per page. */
const pageSize = 10_000;

/** Returns all documents of a test's database in order of storing, with the named fields. */
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

/** Returns the number of documents. */
export const countDocuments = async (databaseUrl: string): Promise<number> => {
  await call('POST', `${patternOf(databaseUrl)}/_refresh`);
  return (await call<{ count: number }>('GET', `${patternOf(databaseUrl)}/_count`)).count;
};

/** Deletes the indices whose names end with `end`, by default all, as if the cluster had lost them. */
export const deleteIndices = async (databaseUrl: string, end = '*'): Promise<void> => {
  const indices = await call<object>('GET', `${patternOf(databaseUrl)}${end}`);
  for (const index of Object.keys(indices)) await call('DELETE', index);
};
