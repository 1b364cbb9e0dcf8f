import type { ComponentChildren } from 'preact';
import type { Address } from '../browser/address.js';
import { TableFrame } from './table-frame.js';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** Field that the server sorts by, if it can. */
  readonly sort?: string;
  /** Whether the column has numbers, which are aligned to the right in digits of equal width. */
  readonly number?: boolean;
  cell(row: Row): ComponentChildren;
}

/** Rows chosen for an action. */
export interface Choice<Row> {
  /** Returns what tells a row from the others, for screen readers. */
  nameOf(row: Row): string;
  has(id: string): boolean;
  toggle(id: string, chosen: boolean): void;
  toggleAll(chosen: boolean): void;
}

/**
 * A table whose order is kept in the address (`sort`). `label` names it for screen readers. Each row has an `id`, and a
 * checkbox when `choice` is given.
 */
export function Table<Row extends { id: string }>({
  label,
  columns,
  rows,
  address,
  choice,
  busy = false,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  address: Address;
  choice?: Choice<Row>;
  busy?: boolean;
}) {
  const allChosen = choice !== undefined && rows.length > 0 && rows.every(({ id }) => choice.has(id));
  return (
    <TableFrame label={label}>
      <table class="list" role="table" aria-label={label} aria-busy={busy}>
        <thead role="rowgroup">
          <tr role="row">
            {choice && (
              <th role="columnheader" class="choice">
                <input
                  type="checkbox"
                  aria-label="Choose all on this page"
                  checked={allChosen}
                  onChange={(event) => choice.toggleAll(event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.title} column={column} address={address} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={row.id} class={choice?.has(row.id) ? 'chosen' : undefined}>
              {choice && (
                <td role="cell" class="choice">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${choice.nameOf(row)}`}
                    checked={choice.has(row.id)}
                    onChange={(event) => choice.toggle(row.id, event.currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td
                  role="cell"
                  key={column.title}
                  data-label={column.title}
                  class={column.number ? 'number' : undefined}
                >
                  <Cell of={column.cell(row)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** The content of a cell. A long text ends in an ellipsis. */
const Cell = ({ of }: { of: ComponentChildren }) =>
  typeof of === 'string' ? <span class="name">{of}</span> : <>{of}</>;

const Heading = <Row,>({ column, address }: { column: Column<Row>; address: Address }) => {
  const { title, sort, number } = column;
  const shape = number ? 'number' : undefined;
  if (sort === undefined)
    return (
      <th role="columnheader" class={shape}>
        {title}
      </th>
    );
  const now = address.get('sort');
  const order = now === sort ? 'ascending' : now === `-${sort}` ? 'descending' : 'none';
  return (
    <th role="columnheader" class={shape} aria-sort={order}>
      <a href={address.link({ sort: order === 'ascending' ? `-${sort}` : sort })}>
        {title}
        <span aria-hidden="true" class="order">
          {order === 'ascending' ? '↑' : order === 'descending' ? '↓' : ''}
        </span>
      </a>
    </th>
  );
};

/** Shows the position in a list, with links to the other pages (`page` and `limit` in the address). */
export function Pager({ address, limit, total }: { address: Address; limit: number; total: number | null }) {
  const page = Number(address.get('page')) || 1;
  const last = total === null ? Number.POSITIVE_INFINITY : Math.ceil(total / limit);
  const previous = Math.min(page - 1, last);
  const from = (page - 1) * limit + 1;
  // The message in place of an empty list says so already.
  if (total === 0) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="quiet">
        {total === null
          ? `From ${from}`
          : page > last
            ? 'Nothing on this page'
            : `${from}–${Math.min(page * limit, total)} of ${total.toLocaleString()}`}
      </span>
      {page > 1 && (
        <a href={address.link({ page: previous === 1 ? undefined : `${previous}` })} rel="prev">
          Previous
        </a>
      )}
      {page < last && (
        <a href={address.link({ page: `${page + 1}` })} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}
