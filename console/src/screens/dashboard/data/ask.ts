import type { SeriesFunction } from '../../../api/documents.js';
import type { Line } from '../../../components/plot-data.js';
import { type Look, lookAfter, said } from '../../../format/look.js';
import { secondsOf } from '../../../format/time.js';
import {
  choiceOf,
  combinationOf,
  goneOf,
  type MapPanel,
  type Panel,
  type QueryPanel,
  type SeriesPanel,
  type TablePanel,
  variableName,
  withChoices,
} from '../document.js';
import { isState } from '../facts.js';
import type { Reader } from './answer.js';
import { askGroupFigure, askGroupSeries, askGroupTop, groupedOf } from './ask-group.js';
import { askFigure, askTop } from './ask-search.js';
import { askTimeline } from './ask-timeline.js';
import { type Context, lookOf } from './context.js';
import { type DeviceValues, TooMuch } from './request.js';
import type { MapResult, Result, SeriesResult, TableResult } from './results.js';
import { chosen, type Values } from './values.js';

/** Points of a line, and bars of a bar chart. */
const points = { line: 240, area: 240, bar: 60 } as const;

/**
 * Adds a panel's queries to the request, and returns the function that reads the panel's result from the answer. Values
 * of the dashboard's variables replace their names.
 */
export function askPanel(panel: Panel, values: Values, context: Context): Reader<Result> {
  try {
    const read = ask(
      withChoices(panel, (choice) => chosen(choice, values)),
      context,
    );
    return (answer) => {
      try {
        return read(answer);
      } catch (error) {
        return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
      }
    };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    const message =
      'One request cannot read all of this dashboard: its panels name too many different groups of devices. Let panels share their devices, or move some to another dashboard.';
    return () => ({ kind: 'failed', message });
  }
}

const ask = (panel: Panel, context: Context): Reader<Result> => {
  switch (panel.kind) {
    case 'series': {
      const grouped = groupedOf(panel, combinationOf(panel));
      return grouped ? askGroupSeries(grouped, context) : askSeries(panel, context);
    }
    case 'figure': {
      const grouped = groupedOf(panel, combinationOf(panel));
      return grouped ? askGroupFigure(grouped, context) : askFigure(panel, context);
    }
    case 'table':
      return askTable(panel, context);
    case 'map':
      return askMap(panel, context);
    case 'timeline':
      return askTimeline(panel, context);
    case 'top': {
      const grouped = groupedOf(panel, combinationOf(panel));
      return grouped ? askGroupTop(grouped, context) : askTop(panel, context);
    }
    case 'query':
      return askQuery(panel, context);
    default:
      return () => ({ kind: 'text' });
  }
};

const titleOf = ({ name, serial }: { name: string | null; serial: string }): string => name ?? serial;

const askSeries = (panel: SeriesPanel, { request, facts }: Context): Reader<SeriesResult> => {
  const { sources, aggregate = 'avg', draw } = panel;
  const fn = aggregate as SeriesFunction;
  const parts = sources.map(({ variable, unit, label, ...choice }) => ({
    source: { variable, unit, label, choice },
    read: request.lines(choice, variableName(variable), fn, points[draw]),
  }));
  const several = new Set(sources.map(({ variable, label }) => label || variable)).size > 1;
  return (answer) => {
    const used = new Map<string, number>();
    const gone = new Set<string>();
    let left = 0;
    const lines = parts.flatMap(({ source, read }) => {
      const { items, total } = read(answer);
      left = Math.max(left, total - items.length);
      for (const id of goneOf(source.choice, items)) gone.add(id);
      return items.flatMap((device) =>
        device.lines.map((line): Line => {
          const own = source.label || variableName(source.variable);
          const alone = source.label && source.choice.devices?.length === 1;
          const title = alone ? own : several ? `${titleOf(device)} ${own}` : titleOf(device);
          const times = (used.get(title) ?? 0) + 1;
          used.set(title, times);
          return {
            ...line,
            name: times === 1 ? title : `${title} (${times})`,
            // A count has no unit, and a number of true values is not a boolean.
            unit: aggregate === 'count' ? 'values' : source.unit || line.unit,
            type: aggregate === 'count' || aggregate === 'sum' ? null : line.type,
            ...lookAfter(aggregate, facts.get(variableName(source.variable))),
          };
        }),
      );
    });
    return { kind: 'series', lines: lines.filter(({ ts }) => ts.length > 0), left, gone: gone.size };
  };
};

const askTable = (panel: TablePanel, { request, facts }: Context): Reader<TableResult> => {
  const parts = panel.sources.map(({ variable, unit, label, ...choice }) => ({
    variable: variableName(variable),
    look: lookOf(facts.get(variableName(variable)), unit),
    title: label || variableName(variable),
    choice,
    read: request.values(choice),
  }));
  return (answer) => {
    const rows = new Map<string, { id: string; name: string; cells: (string | undefined)[]; at: number | undefined }>();
    const gone = new Set<string>();
    let left = 0;
    parts.forEach(({ variable, look, choice, read }, place) => {
      const { items, total } = read(answer);
      left = Math.max(left, total - items.length);
      for (const id of goneOf(choice, items)) gone.add(id);
      for (const device of items) {
        const { id, lastRecordAt } = device;
        const at = lastRecordAt === null ? undefined : secondsOf(lastRecordAt);
        const row = rows.get(id) ?? { id, name: titleOf(device), cells: parts.map(() => undefined), at };
        row.cells[place] = cellOf(device, variable, look);
        rows.set(id, row);
      }
    });
    const columns = parts.map(({ title, variable }) => {
      const type = facts.get(variable)?.type;
      return { title, isNumber: type !== undefined && !isState(type) };
    });
    return { kind: 'table', columns, rows: [...rows.values()], left, gone: gone.size };
  };
};

const cellOf = ({ latest }: DeviceValues, variable: string, look: Look): string | undefined => {
  const found = latest.find(({ name }) => name === variable);
  return found && said(found.value, { ...look, unit: look.unit ?? found.unit });
};

const askMap = (panel: MapPanel, { request }: Context): Reader<MapResult> => {
  const read = request.places(choiceOf(panel));
  return (answer) => {
    const { items, total } = read(answer);
    const places = items.flatMap(({ id, location, openEpisodes, ...device }) =>
      location === null
        ? []
        : [{ id, name: titleOf(device), ...location, isAlerted: (openEpisodes.totalCount ?? 0) > 0 }],
    );
    return { kind: 'map', places, unplaced: items.length - places.length, left: total - items.length };
  };
};

const askQuery = ({ query }: QueryPanel, { request }: Context): Reader<Result> => {
  const read = request.search({ ...query, size: 0 });
  return (answer) => ({ kind: 'query', answer: read(answer) });
};
