import type { DecodeFrameQuery } from '../../api/documents.js';
import { Badge } from '../../components/badge.js';
import { shown } from '../../format/value.js';

type Decoded = NonNullable<DecodeFrameQuery['decodeFrame']>;

const tones: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = { ok: 'good', partial: 'warn', failed: 'bad' };

/** The parts of a frame: each with its offset, its bytes and the value read from them. */
export const Parts = ({ of: { status, parts } }: { of: Decoded }) => (
  <>
    <p role="status">
      <Badge tone={tones[status] ?? 'quiet'}>{status}</Badge>{' '}
      <span class="quiet">
        {parts.length} {parts.length === 1 ? 'part' : 'parts'}
      </span>
    </p>
    <div class="table-frame">
      <table aria-label="Parts of the frame">
        <thead>
          <tr>
            <th class="number">Offset</th>
            <th>Bytes</th>
            <th>Variable</th>
            <th class="number">Value</th>
            <th>Warning</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ offset, bytes, variable, value, warning }, index) => (
            <tr key={index}>
              <td class="number">{offset}</td>
              <td>
                <code>{bytes.replaceAll(/(..)(?=.)/g, '$1 ')}</code>
              </td>
              <td>{variable == null ? '' : shown(variable)}</td>
              <td class="number">{value == null ? '' : shown(value)}</td>
              <td>{warning != null && <Badge tone="warn">{warning}</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
);
