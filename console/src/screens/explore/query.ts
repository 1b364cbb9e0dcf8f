/** Helpers for the DSL query in the editor. */

/** Returns the initial query: records and averages by hour. */
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

/** Parses a query; undefined when the text is not a JSON object. */
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

/** Whether the named aggregation of a query groups by time. */
export const isTimeIn = (query: Record<string, unknown>, name: string): boolean => {
  const aggs = (query['aggs'] ?? query['aggregations']) as Record<string, object> | undefined;
  const kinds = Object.keys(aggs?.[name] ?? {});
  return kinds.includes('date_histogram') || kinds.includes('auto_date_histogram');
};
