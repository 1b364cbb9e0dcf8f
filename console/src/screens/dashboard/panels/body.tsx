import { Charts } from '../../../components/chart.js';
import { counted } from '../../../format/value.js';
import type { Result, SeriesResult } from '../data/results.js';
import type { Shown } from '../data/use-results.js';
import type { Panel } from '../document.js';
import { FigureBody } from './figure.js';
import { MapBody } from './map.js';
import { Note } from './note.js';
import { QueryBody } from './query.js';
import { TableBody } from './table.js';
import { TextBody } from './text.js';
import { TimelineBody } from './timeline.js';
import { TopBody } from './top.js';

/** Shows the content of a panel: its result, a reason for its absence, or a placeholder until the result arrives. */
export function PanelBody({ panel, shown }: { panel: Panel; shown: Shown | undefined }) {
  const result = shown?.results.get(panel.id);
  if (panel.kind === 'text') return <TextBody text={panel.text} />;
  if (shown === undefined || result === undefined)
    return (
      <div class="placeholder" role="status" aria-label="Loading">
        <span class="visually-hidden">Loading</span>
      </div>
    );
  return <Filled panel={panel} result={result} shown={shown} />;
}

function Filled({ panel, result, shown }: { panel: Panel; result: Result; shown: Shown }) {
  if (result.kind === 'failed')
    return (
      <Note title="This panel cannot be shown" isFault>
        {result.message}
      </Note>
    );
  if (panel.kind === 'series' && result.kind === 'series')
    return result.lines.length === 0 ? (
      <Nothing gone={result.gone} />
    ) : (
      <>
        <Charts
          label={panel.title || 'Values'}
          lines={result.lines}
          from={shown.from}
          to={result.axisEnd ?? shown.to}
          shape={({ line: 'lines', area: 'areas', bar: 'bars' } as const)[panel.draw]}
          levels={panel.bands ?? []}
          limits={{ min: panel.min, max: panel.max }}
          size="parent"
          zooms
        />
        <Left {...result} />
      </>
    );
  if (panel.kind === 'figure' && result.kind === 'figure') return <FigureBody panel={panel} result={result} />;
  if (result.kind === 'table')
    return result.rows.length === 0 ? (
      <Nothing gone={result.gone} />
    ) : (
      <>
        <TableBody label={panel.title || 'Newest values'} result={result} />
        <Left {...result} />
      </>
    );
  if (result.kind === 'map')
    return result.places.length === 0 ? (
      <Note title="No device has a place">Give devices a location: on their screens, or when they are imported.</Note>
    ) : (
      <MapBody label={panel.title || 'Map'} result={result} />
    );
  if (result.kind === 'timeline')
    return result.lanes.length === 0 ? (
      <Nothing gone={result.gone} />
    ) : (
      <>
        <TimelineBody label={panel.title || 'States'} result={result} from={shown.from} to={shown.to} />
        <Left {...result} />
      </>
    );
  if (result.kind === 'top')
    return result.entries.length === 0 ? (
      <Nothing />
    ) : (
      <>
        <TopBody label={panel.title || 'Top list'} result={result} />
        <Left left={result.left} gone={0} />
      </>
    );
  if (panel.kind === 'query' && result.kind === 'query') return <QueryBody panel={panel} answer={result.answer} />;
  return null;
}

const Nothing = ({ gone = 0 }: { gone?: number }) =>
  gone > 0 ? (
    <Note title={gone === 1 ? 'Its device is gone' : 'Its devices are gone'}>
      Deleted, or taken out of the application. Edit the panel to choose others.
    </Note>
  ) : (
    <Note title="No value in this range">Choose a longer range, or other devices.</Note>
  );

/** Says which devices a panel leaves out. */
const Left = ({ left, gone }: Pick<SeriesResult, 'left' | 'gone'>) =>
  left + gone === 0 ? null : (
    <p class="panel-foot quiet">
      {left > 0 && `${counted(left, 'further device')} not shown. `}
      {gone > 0 && `${counted(gone, 'device')} gone.`}
    </p>
  );
