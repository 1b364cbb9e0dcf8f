import { formatTime } from '../format/time.js';
import { type Band, bandAt } from './bands.js';
import { type Line, readValue, strokeOf } from './plot-data.js';
import type { Pointed } from './plot-options.js';

/**
 * The values of every line near the cursor. A click on the chart or Enter keeps the box, so that a long list can be
 * scrolled.
 */
export function ReadingBox({
  of: { at, left, top, readings, isKeyboard },
  lines,
  bands,
  isPinned,
  width,
  close,
}: {
  of: Pointed;
  lines: readonly Line[];
  bands: readonly Band[];
  isPinned: boolean;
  /** Width of the plot in pixels. */
  width: number;
  close: () => void;
}) {
  const band = bandAt(bands, at);
  const beside = left > width / 2 ? { right: `${width - left + 14}px` } : { left: `${left + 14}px` };
  return (
    <output
      class={isPinned ? 'reading pinned' : 'reading'}
      aria-label="Values at the cursor"
      aria-live={isKeyboard ? 'polite' : 'off'}
      tabIndex={isPinned ? 0 : undefined}
      style={{ top: `${Math.max(0, Math.min(top - 20, 60))}px`, ...beside }}
    >
      <strong>
        {formatTime(at)}
        {isPinned && (
          <button type="button" class="plain" aria-label="Close the reading" onClick={close}>
            ×
          </button>
        )}
      </strong>
      {readings.length === 0 && <span class="quiet">No value</span>}
      {readings.map(({ index, value, at: own }) => {
        const line = lines[index]!;
        return (
          <span class="read" key={index}>
            <i
              class={line.measured === undefined ? undefined : 'earlier'}
              style={{ background: `var(${strokeOf(index, line).color})` }}
            />
            <span class="read-name">{line.name}</span>
            <b title={own === at ? undefined : formatTime(own)}>{readValue(line, value)}</b>
            <Beside line={line} place={line.ts.indexOf(own)} />
          </span>
        );
      })}
      {band !== undefined && (
        <span class="quiet">
          {band.severity}: {band.name}
        </span>
      )}
    </output>
  );
}

/** The spread of a value and what it combines. */
const Beside = ({ line, place }: { line: Line; place: number }) => {
  const { lowest, highest, notes } = line;
  if (notes === undefined) return null;
  const spread =
    lowest !== undefined && highest !== undefined
      ? `${readValue(line, lowest[place]!)} to ${readValue(line, highest[place]!)} · `
      : '';
  return (
    <small class="read-note">
      {spread}
      {notes[place]}
    </small>
  );
};
