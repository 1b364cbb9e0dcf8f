import { useMemo } from 'preact/hooks';
import { Bars } from '../../../components/bars.js';
import { TableFrame } from '../../../components/table-frame.js';
import { formatTime } from '../../../format/time.js';
import { shown } from '../../../format/value.js';
import { type BucketTable, tablesOf } from '../../explore/buckets.js';
import { isTimeIn } from '../../explore/query.js';
import type { SearchAnswer } from '../data/search.js';
import type { QueryPanel } from '../document.js';
import { Note } from './note.js';

/** Maximum number of rows and bars that a panel shows of an answer. */
const mostRows = 200;

/** The answer to a query of the search language, as bars or a table. */
export function QueryBody({ panel, answer }: { panel: QueryPanel; answer: SearchAnswer }) {
  const [table] = useMemo(
    () => tablesOf(answer.aggregations ?? {}, (name) => isTimeIn(panel.query, name)),
    [answer, panel.query],
  );
  if (answer.timed_out)
    return (
      <Note title="The query ran out of time" isFault>
        Choose a shorter range, or a query that finds less.
      </Note>
    );
  if (table === undefined || table.rows.length === 0)
    return <Note title="Nothing was found">No record of this range matches the query.</Note>;
  return panel.show === 'bars' && table.keys > 0 ? (
    <div class="panel-scroll" tabIndex={0} role="group" aria-label={panel.title || 'Answer'}>
      <Bars label={panel.title || 'Answer'} of={barsOf(table)} />
    </div>
  ) : (
    <Answer label={panel.title || 'Answer'} of={table} />
  );
}

const keyOf = (cell: unknown, isTime: boolean): string =>
  isTime ? formatTime(Number(cell) / 1000) : cell == null ? '' : shown(cell);

const barsOf = ({ columns, keys, rows, isTime }: BucketTable) => {
  // A figure beside the number of records is drawn instead of it.
  const figure = columns.length - keys > 1 ? keys + 1 : keys;
  return rows.slice(0, mostRows).map((row) => ({
    name: row
      .slice(0, keys)
      .map((cell, place) => keyOf(cell, isTime && place === 0))
      .join(', '),
    value: typeof row[figure] === 'number' ? row[figure] : null,
  }));
};

const Answer = ({ label, of: { columns, keys, rows, isTime } }: { label: string; of: BucketTable }) => (
  <TableFrame label={label} shape="panel-scroll">
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((name, place) => (
            <th key={name} class={place < keys ? undefined : 'number'}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, mostRows).map((row, index) => (
          <tr key={index}>
            {row.map((cell, place) => (
              <td key={place} class={place < keys ? undefined : 'number'}>
                {keyOf(cell, isTime && place === 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
);
