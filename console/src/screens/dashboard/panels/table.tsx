import { Ago } from '../../../components/ago.js';
import { TableFrame } from '../../../components/table-frame.js';
import type { TableResult } from '../data/results.js';
import { deviceLink } from './device-link.js';

/** The newest values of devices, a row for each. */
export const TableBody = ({ label, result: { columns, rows } }: { label: string; result: TableResult }) => (
  <TableFrame label={label} shape="panel-scroll">
    <table aria-label={label}>
      <thead>
        <tr>
          <th>Device</th>
          {columns.map(({ title, isNumber }, place) => (
            <th key={place} class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
          <th>Heard</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, cells, at }) => (
          <tr key={id}>
            <td class="cut" title={name}>
              {deviceLink(id, name)}
            </td>
            {cells.map((cell, place) => (
              <td key={place} class={columns[place]!.isNumber ? 'number' : undefined}>
                {cell ?? <span class="quiet">–</span>}
              </td>
            ))}
            <td class="quiet nowrap">{at === undefined ? 'never' : <Ago at={at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
);
