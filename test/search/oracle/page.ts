import { type Plain, within } from './plain.js';
import { sortKeys } from './sort.js';

/** The next page of what a body asked for, where its answer has a cursor. */
export const nextPage = (body: Plain, answer: Plain): Plain | undefined => {
  const hits = (answer['hits'] as { hits: { sort?: unknown[] }[] } | undefined)?.hits ?? [];
  const sort = hits.at(-1)?.sort;
  const isByStoring = JSON.stringify(body['sort'] ?? '').includes('_doc');
  // The engine does not take its own cursor past booleans that are missing, nor past the dates of a field that nothing
  // has (argued in docs/search.md).
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
