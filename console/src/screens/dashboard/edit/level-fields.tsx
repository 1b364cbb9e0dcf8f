import { severities } from '../../../components/badge.js';
import { Field } from '../../../components/dialog.js';
import { type Level, wordsOf } from '../../../components/levels.js';

const most = 8;

/** A field for a number that may be absent. */
export const NumberField = ({
  label,
  value,
  change,
}: {
  label: string;
  value: number | undefined;
  change: (value: number | undefined) => void;
}) => (
  <Field label={label}>
    <input
      type="number"
      step="any"
      value={value ?? ''}
      placeholder="automatic"
      onInput={({ currentTarget: { valueAsNumber } }) =>
        change(Number.isFinite(valueAsNumber) ? valueAsNumber : undefined)
      }
    />
  </Field>
);

/** Ranges of values that are marked, each with its severity. */
export const LevelFields = ({
  levels,
  change,
}: {
  levels: readonly Level[];
  change: (levels: readonly Level[]) => void;
}) => {
  const put = (index: number, next: Level) => change(levels.map((one, place) => (place === index ? next : one)));
  return (
    <fieldset>
      <legend>Marked values</legend>
      {levels.map((level, index) => (
        <div key={index} class="level" role="group" aria-label={wordsOf(level)}>
          <select
            aria-label="Severity"
            value={level.severity}
            onChange={({ currentTarget }) =>
              put(index, { ...level, severity: currentTarget.value as Level['severity'] })
            }
          >
            {severities.map((severity) => (
              <option key={severity} value={severity}>
                {severity}
              </option>
            ))}
          </select>
          <End name="from" level={level} put={(next) => put(index, next)} />
          <End name="to" level={level} put={(next) => put(index, next)} />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${wordsOf(level)}`}
            onClick={() => change(levels.filter((_, place) => place !== index))}
          >
            ×
          </button>
        </div>
      ))}
      {levels.length < most && (
        <button type="button" class="add" onClick={() => change([...levels, { from: 0, severity: 'warning' }])}>
          Mark values
        </button>
      )}
    </fieldset>
  );
};

/** One end of a level. A level has at least one end, and its start is below its end. */
const End = ({ name, level, put }: { name: 'from' | 'to'; level: Level; put: (level: Level) => void }) => (
  <input
    type="number"
    step="any"
    aria-label={name === 'from' ? 'From' : 'To'}
    placeholder={name}
    value={level[name] ?? ''}
    onInput={({ currentTarget: { valueAsNumber } }) => {
      const { [name]: _end, ...rest } = level;
      const next: Level = Number.isFinite(valueAsNumber) ? { ...rest, [name]: valueAsNumber } : rest;
      if (next.from === undefined && next.to === undefined) return;
      if (next.from !== undefined && next.to !== undefined && next.from >= next.to) return;
      put(next);
    }}
  />
);
