import { useState } from 'preact/hooks';
import { Field } from '../../../components/dialog.js';
import { LazyEditor } from '../../../components/editor/lazy-editor.js';
import { parseObject } from '../../../format/value.js';
import { fieldsOf } from '../../explore/query-part.js';
import {
  type Aggregate,
  aggregates,
  type Dashboard,
  type Panel,
  type QueryPanel,
  type SeriesPanel,
  type TopPanel,
  withChoice,
} from '../document.js';
import { type Application, factsOf } from '../facts.js';
import { ChoiceFields, type Link } from './choice-fields.js';
import { apart, CombinedSeriesFields, CombineField, CompareField, kept } from './combine-fields.js';
import { showsLevels } from './kinds.js';
import { LevelFields, NumberField } from './level-fields.js';
import { Select } from './select.js';
import { SourceFields, SourceList } from './source-fields.js';

interface Props<Of extends Panel> {
  readonly application: Application;
  readonly dashboard: Dashboard;
  readonly panel: Of;
  readonly change: (panel: Panel) => void;
  readonly link: Link;
  /** Says why the panel cannot be kept as it is. */
  readonly setFault: (fault: string | undefined) => void;
}

/** The fields of a panel that depend on its kind. */
export function KindFields(props: Props<Panel>) {
  const { panel, change, application, dashboard, link } = props;
  const given = { application, dashboard, link, kind: panel.kind };
  switch (panel.kind) {
    case 'series':
      return <SeriesFields {...props} panel={panel} />;
    case 'figure':
      return (
        <>
          <SourceFields {...given} source={panel.source} change={(source) => change({ ...panel, source })} />
          <div class="beside">
            <AggregateField value={panel.aggregate} change={(aggregate) => change(kept({ ...panel, aggregate }))} />
            <CombineField panel={panel} none={apart.figure} change={change} />
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={panel.trend ?? false}
              onChange={({ currentTarget }) => change({ ...panel, trend: currentTarget.checked })}
            />
            Show its course over the range
          </label>
          <CompareField panel={panel} change={change} />
          {showsLevels(panel, application) && (
            <LevelFields levels={panel.bands ?? []} change={(bands) => change({ ...panel, bands })} />
          )}
        </>
      );
    case 'table':
    case 'timeline':
      return (
        <SourceList
          {...given}
          most={panel.kind === 'table' ? 8 : 12}
          sources={panel.sources}
          change={(sources) => change({ ...panel, sources })}
        />
      );
    case 'map':
      return <ChoiceFields {...given} choice={panel} change={(choice) => change(withChoice(panel, choice))} />;
    case 'top':
      return <TopFields {...props} panel={panel} />;
    case 'query':
      return <QueryFields {...props} panel={panel} />;
    default:
      return (
        <Field label="Text" hint="Web addresses and [words](https://…) become links; a line with “# ” is a heading.">
          <textarea
            rows={8}
            maxLength={10_000}
            value={panel.text}
            onInput={({ currentTarget }) => change({ ...panel, text: currentTarget.value })}
          />
        </Field>
      );
  }
}

const SeriesFields = ({ panel, change, application, dashboard, link }: Props<SeriesPanel>) => (
  <>
    <SourceList
      application={application}
      dashboard={dashboard}
      link={link}
      kind="series"
      most={12}
      sources={panel.sources}
      change={(sources) => change({ ...panel, sources })}
    />
    <div class="beside">
      <Select
        label="Draw as"
        options={{ line: 'Lines', area: 'Areas', bar: 'Bars' }}
        value={panel.draw}
        choose={(draw) => change({ ...panel, draw })}
      />
      <AggregateField value={panel.aggregate ?? 'avg'} change={(aggregate) => change(kept({ ...panel, aggregate }))} />
    </div>
    <CombineField panel={panel} none={apart.series} spreads change={change} />
    <CombinedSeriesFields panel={panel} change={change} />
    <div class="beside">
      <NumberField label="Axis from" value={panel.min} change={(min) => change(without({ ...panel, min }, 'min'))} />
      <NumberField label="Axis to" value={panel.max} change={(max) => change(without({ ...panel, max }, 'max'))} />
    </div>
    {showsLevels(panel, application) && (
      <LevelFields levels={panel.bands ?? []} change={(bands) => change({ ...panel, bands })} />
    )}
  </>
);

const TopFields = ({ panel, change, application, dashboard, link }: Props<TopPanel>) => (
  <>
    <SourceFields
      application={application}
      dashboard={dashboard}
      link={link}
      kind="top"
      source={panel.source}
      change={(source) => change({ ...panel, source })}
    />
    <div class="beside">
      <AggregateField value={panel.aggregate} change={(aggregate) => change({ ...panel, aggregate })} />
      <Select
        label="List"
        options={{ device: 'Devices', site: 'Sites', product: 'Products', tag: 'Tags' }}
        value={panel.split ?? 'device'}
        choose={(split) => {
          const { split: _split, combine, ...rest } = panel;
          change(split === 'device' ? rest : { ...rest, split, combine: combine ?? 'sum' });
        }}
      />
    </div>
    {panel.split !== undefined && <CombineField panel={panel} none={undefined} change={change} />}
    <div class="beside">
      <Select
        label="First"
        options={{ highest: 'The highest', lowest: 'The lowest' }}
        value={panel.order}
        choose={(order) => change({ ...panel, order })}
      />
      <Field label="Length">
        <input
          type="number"
          min={1}
          max={50}
          required
          value={panel.size}
          onInput={({ currentTarget: { valueAsNumber: size } }) => {
            if (Number.isInteger(size) && size >= 1 && size <= 50) change({ ...panel, size });
          }}
        />
      </Field>
    </div>
  </>
);

/** Returns a panel without a field that has no value. */
const without = <Of extends object>(panel: Of, field: keyof Of): Of => {
  if (panel[field] !== undefined) return panel;
  const copy = { ...panel };
  delete copy[field];
  return copy;
};

const QueryFields = ({ application, panel, change, setFault }: Props<QueryPanel>) => {
  const [text, setText] = useState(() => JSON.stringify(panel.query, undefined, 2));
  const write = (next: string) => {
    setText(next);
    const query = parseObject(next);
    setFault(query === undefined ? 'The query is not JSON yet.' : undefined);
    if (query !== undefined) change({ ...panel, query });
  };
  return (
    <>
      <div class="field">
        <span class="field-label">Query</span>
        <LazyEditor
          label="Query"
          text={text}
          fields={fieldsOf([...factsOf(application).keys()])}
          root="query"
          change={write}
          run={() => undefined}
        />
        <span class="quiet hint">Aggregations of one level over the records of the range. Ctrl+Space completes.</span>
      </div>
      <Select
        label="Show as"
        options={{ bars: 'Bars', table: 'Table' }}
        value={panel.show}
        choose={(show) => change({ ...panel, show })}
      />
    </>
  );
};

const AggregateField = ({ value, change }: { value: Aggregate; change: (value: Aggregate) => void }) => (
  <Select label="Value" options={aggregates} value={value} choose={change} />
);
