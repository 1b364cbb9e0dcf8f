/** A query of the DSL as its editor holds it. */

/** What is asked where nothing was written yet: records and averages by hour. */
export const firstQuery = (variable: string | undefined): string =>
  JSON.stringify(
    {
      query: { match_all: {} },
      size: 0,
      aggs: {
        hour: {
          date_histogram: { field: 'ts', fixed_interval: '1h' },
          ...(variable !== undefined && { aggs: { average: { avg: { field: `data.${variable}` } } } }),
        },
      },
    },
    undefined,
    2,
  );

/** The query of a text; undefined where it is not an object in JSON. */
export const parseQuery = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Whether an aggregation of a query, by its name, groups by time. */
export const isTimeIn = (query: Record<string, unknown>, name: string): boolean => {
  const aggs = (query['aggs'] ?? query['aggregations']) as Record<string, object> | undefined;
  const kinds = Object.keys(aggs?.[name] ?? {});
  return kinds.includes('date_histogram') || kinds.includes('auto_date_histogram');
};
