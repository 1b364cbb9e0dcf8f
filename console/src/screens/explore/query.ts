/** Helpers for the DSL query in the editor. */

const everything = { match_all: {} };
const hours = { field: 'ts', fixed_interval: '1h' };

/** Queries to begin with, by their titles, for a numeric field. */
const templates: Readonly<Record<string, (field: string) => object>> = {
  'Average by hour': (field) => ({
    query: everything,
    size: 0,
    aggs: { hour: { date_histogram: hours, aggs: { average: { avg: { field } } } } },
  }),
  'Lowest and highest by day': (field) => ({
    query: everything,
    size: 0,
    aggs: {
      day: {
        date_histogram: { field: 'ts', calendar_interval: '1d' },
        aggs: { lowest: { min: { field } }, highest: { max: { field } } },
      },
    },
  }),
  'Average by device': (field) => ({
    query: everything,
    size: 0,
    aggs: { device: { terms: { field: 'device.name', size: 20 }, aggs: { average: { avg: { field } } } } },
  }),
  'Records by hour and device': () => ({
    query: everything,
    size: 0,
    aggs: { hour: { date_histogram: hours, aggs: { device: { terms: { field: 'device.name' } } } } },
  }),
  Percentiles: (field) => ({
    query: everything,
    size: 0,
    aggs: { hour: { date_histogram: hours, aggs: { percentiles: { percentiles: { field, percents: [50, 95] } } } } },
  }),
  'Records above a value': (field) => ({ query: { range: { [field]: { gt: 20 } } }, size: 20 }),
  'Newest records': () => ({ query: everything, size: 20 }),
};

/** Titles of the templates. */
export const templateTitles = Object.keys(templates);

/** Writes the query of a template. Without a variable, the query names a field that no record has. */
export const templateQuery = (title: string, variable: string | undefined): string =>
  JSON.stringify(templates[title]!(`data.${variable ?? 'temperature'}`), undefined, 2);

/** Returns the initial query: records and averages by hour. */
export const firstQuery = (variable: string | undefined): string => templateQuery(templateTitles[0]!, variable);

/** Whether the named aggregation of a query groups by time. */
export const isTimeIn = (query: Record<string, unknown>, name: string): boolean => {
  const aggs = (query['aggs'] ?? query['aggregations']) as Record<string, object> | undefined;
  const kinds = Object.keys(aggs?.[name] ?? {});
  return kinds.includes('date_histogram') || kinds.includes('auto_date_histogram');
};
