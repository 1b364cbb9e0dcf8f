import { useMemo } from 'preact/hooks';
import { Bars } from '../../components/bars.js';
import { Charts } from '../../components/chart.js';
import { Section } from '../../components/page.js';
import type { Line } from '../../components/plot-data.js';
import { Empty } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { type Cell, csvOf, download } from '../../format/csv.js';
import { formatTime, zone } from '../../format/time.js';
import { counted, shown } from '../../format/value.js';
import { type BucketTable, tablesOf } from './buckets.js';
import { isTimeIn } from './query.js';

/** The result of one query in a search. */
export interface Answered {
  readonly error?: { readonly reason?: string };
  readonly timed_out?: boolean;
  readonly hits?: {
    readonly total?: { readonly value: number; readonly relation: string };
    readonly hits: readonly { readonly _id: string; readonly _source?: Record<string, unknown> }[];
  };
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

const mostRows = 500;

/** Shows buckets as charts and tables, and the records that were found. */
export function Answer({
  of: { hits, aggregations, timed_out: timedOut },
  query,
  from,
  to,
}: {
  of: Answered;
  query: Record<string, unknown>;
  from: number;
  to: number;
}) {
  const tables = useMemo(() => tablesOf(aggregations ?? {}, (name) => isTimeIn(query, name)), [aggregations, query]);
  const found = hits?.hits ?? [];
  const total = hits?.total;
  return (
    <>
      <p class="quiet" role="status">
        {total !== undefined && `${total.relation === 'gte' ? 'More than ' : ''}${counted(total.value, 'record')}`}
        {timedOut && ' · the query timed out: the answer is incomplete'}
      </p>
      {tables.map((table) => (
        <Buckets key={table.title} of={table} from={from} to={to} />
      ))}
      {found.length > 0 && <Hits of={found} />}
      {tables.length === 0 && found.length === 0 && (
        <Empty title="Nothing was found">
          <p>No record of this range matches.</p>
        </Empty>
      )}
    </>
  );
}

const Buckets = ({ of: table, from, to }: { of: BucketTable; from: number; to: number }) => {
  const { title, columns, keys, rows, isTime } = table;
  return (
    <Section
      title={title}
      actions={
        <button
          type="button"
          onClick={() =>
            download(
              `${title}.csv`,
              csvOf(
                columns,
                rows.map((row) => csvRow(table, row)),
              ),
            )
          }
        >
          Download CSV
        </button>
      }
    >
      {rows.length === 0 ? <Empty title="No bucket" /> : <Picture of={table} from={from} to={to} />}
      {rows.length > 0 && (
        <TableFrame label={`Buckets of ${title}`} shape="tall">
          <table aria-label={`Buckets of ${title}`}>
            <thead>
              <tr>
                {columns.map((name, index) => (
                  <th key={name} class={index < keys ? undefined : 'number'}>
                    {name}
                    {index === 0 && isTime && ` (${zone.value})`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, mostRows).map((row, index) => (
                <tr key={index}>
                  {row.map((cell, place) => (
                    <td key={columns[place]} class={place < keys ? undefined : 'number'}>
                      {place === 0 && isTime ? formatTime(Number(cell) / 1000) : cell == null ? '' : shown(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {rows.length > mostRows && (
        <p class="quiet">
          The first {mostRows} of {rows.length.toLocaleString()} are shown; the file has all.
        </p>
      )}
    </Section>
  );
};

const csvRow = ({ isTime }: BucketTable, row: readonly Cell[]): Cell[] =>
  isTime ? [new Date(Number(row[0])).toISOString(), ...row.slice(1)] : [...row];

/** Draws time buckets as lines, one per group, and other buckets as bars. Buckets without figures have no chart. */
const Picture = ({
  of: { columns, keys, rows, isTime, title },
  from,
  to,
}: {
  of: BucketTable;
  from: number;
  to: number;
}) => {
  // A single figure is drawn. Otherwise the number of records is drawn, which is the first figure.
  const figure = columns.length - keys === 2 ? keys + 1 : keys;
  const lines = useMemo(() => (isTime ? linesOf(rows, columns, keys) : []), [isTime, rows, columns, keys]);
  if (keys === 0) return null;
  if (isTime) return <Charts label={title} lines={lines} from={from} to={to} zooms />;
  const bars = rows.slice(0, 20).map((row) => ({
    name: row
      .slice(0, keys)
      .map((key) => (key == null ? '' : shown(key)))
      .join(', '),
    value: typeof row[figure] === 'number' ? row[figure] : null,
  }));
  return <Bars label={`${columns[figure]} by ${title}`} of={bars} />;
};

const mostLines = 60;

const linesOf = (rows: readonly (readonly Cell[])[], columns: readonly string[], keys: number): Line[] => {
  const lines = new Map<string, { name: string; unit: string | null; ts: number[]; values: (number | null)[] }>();
  for (const row of rows)
    for (let place = keys; place < columns.length; place++) {
      const group = row.slice(1, keys).join(', ');
      const name = group === '' ? columns[place]! : `${group} ${columns[place]}`;
      // Figures of the same name share an axis.
      const line = lines.get(name) ?? {
        name,
        unit: name === columns[place] ? null : columns[place]!,
        ts: [],
        values: [],
      };
      line.ts.push(Number(row[0]) / 1000);
      const value = row[place];
      line.values.push(typeof value === 'number' ? value : null);
      lines.set(name, line);
    }
  return [...lines.values()].slice(0, mostLines);
};

const Hits = ({ of }: { of: NonNullable<Answered['hits']>['hits'] }) => (
  <Section title="Records">
    <ol class="records">
      {of.slice(0, mostRows).map(({ _id, _source }) => (
        <li key={_id}>
          {typeof _source?.['ts'] === 'number' && <time>{formatTime(_source['ts'])}</time>}{' '}
          <code>{JSON.stringify(_source)}</code>
        </li>
      ))}
    </ol>
  </Section>
);
