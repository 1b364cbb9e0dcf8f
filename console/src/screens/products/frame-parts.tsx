import type { DecodeFrameQuery } from '../../api/documents.js';
import { Badge } from '../../components/badge.js';
import { TableFrame } from '../../components/table-frame.js';
import { counted, shown } from '../../format/value.js';

type Decoded = NonNullable<DecodeFrameQuery['decodeFrame']>;

/** Warnings about a part of a frame, as sentences. */
const warnings: Readonly<Record<string, string>> = {
  TRUNCATED: 'The frame ends before this value does.',
  UNKNOWN_VARIABLE: 'No variable is mapped to this number.',
  TYPE_MISMATCH: 'The frame has another type than the variable.',
  OUT_OF_RANGE: 'The value does not fit the type of the variable.',
  NOT_FINITE: 'The value is not a finite number.',
  BAD_BOOL: 'The value is neither true nor false.',
  BAD_UTF8: 'The text is not UTF-8.',
  REPEATED: 'The variable came before in this frame.',
  TRAILING_BYTES: 'No variable is mapped to these bytes.',
  BAD_FIELD: 'The field is not a value of the type of the variable.',
  NO_LAYOUT: 'No variable is mapped to this stream and layout.',
};

/** Outcomes of decoding a frame, in words. */
const outcomes: Readonly<Record<string, string>> = { ok: 'decoded', partial: 'decoded in part', failed: 'not decoded' };

const tones: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = { ok: 'good', partial: 'warn', failed: 'bad' };

/** The parts of a frame: each with its offset, its bytes and the value read from them. */
export const Parts = ({ of: { status, parts } }: { of: Decoded }) => (
  <>
    <p role="status">
      <Badge tone={tones[status] ?? 'quiet'}>{outcomes[status] ?? status}</Badge>{' '}
      <span class="quiet">{counted(parts.length, 'part')}</span>
    </p>
    <TableFrame label="Parts of the frame">
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
              <td>{warning != null && <span title={warning}>{warnings[warning] ?? warning}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  </>
);
