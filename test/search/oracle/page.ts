import { type Plain, within } from './plain.js';
import { sortKeys } from './sort.js';

/** Returns the query for the next page, when the answer has a cursor. */
export const nextPage = (body: Plain, answer: Plain): Plain | undefined => {
  const hits = (answer['hits'] as { hits: { sort?: unknown[] }[] } | undefined)?.hits ?? [];
  const sort = hits.at(-1)?.sort;
  const isByStoring = JSON.stringify(body['sort'] ?? '').includes('_doc');
  // OpenSearch rejects its own cursor for missing booleans and for dates of a field without values (explained in
  // docs/search.md).
  const unread = new Set(
    within(body['sort']).flatMap((options) =>
      Object.keys(options).filter((key) => /"unmapped_type":"(?:boolean|date)"/.test(JSON.stringify(options[key]))),
    ),
  );
  const isAtMissing = sortKeys(body['sort']).some(
    (key, at) => (key === 'data.on' || unread.has(key)) && typeof sort?.[at] === 'string',
  );
  if (sort !== undefined && !isByStoring && !isAtMissing && body['from'] === undefined)
    return { ...body, search_after: sort };
  for (const key of ['aggs', 'aggregations']) {
    for (const [name, asked] of Object.entries((body[key] ?? {}) as Plain)) {
      const after = ((answer['aggregations'] as Plain | undefined)?.[name] as Plain | undefined)?.['after_key'];
      const options = (asked as Plain | null)?.['composite'] as Plain | undefined;
      if (after !== undefined && options !== undefined)
        return { ...body, [key]: { [name]: { ...(asked as Plain), composite: { ...options, after } } } };
    }
  }
  return undefined;
};
